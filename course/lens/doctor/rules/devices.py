"""device: tensors that lie in different places, or a device that is not there."""

from __future__ import annotations

import ast
import re

import torch

from lens.doctor.repairs import fix_with
from lens.doctor.rewriting import rewrite, runnable, statement_with
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import run_again, torch_name
from lens.doctor.scene import Scene, Seen


def look(scene: Scene, found: re.Match) -> Told | None:
    """Which operand lies where, and which to move."""
    if plain := _plain_attribute(scene):
        return plain
    if scene.layer and (moved := _layer_elsewhere(scene)):
        return moved
    seen = [s for s in scene.tensors if s.real]
    for a in seen:
        for b in seen:
            if a.value.device != b.value.device:
                move, stay = (a, b) if a.value.device.type == "cpu" else (b, a)
                return _move(scene, move, stay)
    return None


def _move(scene: Scene, move: Seen, stay: Seen) -> Told:
    fix = ""
    if move.node is not None and stay.node is not None:
        fix = fix_with(scene, {move.node: f"{move.atom}.to({stay.atom}.device)"})
    blanks = {"a": move.name, "b": stay.name, "da": move.value.device, "db": stay.value.device}
    return told("two", fix, **blanks)


def _layer_elsewhere(scene: Scene) -> Told | None:
    layer, given = scene.layer, scene.layer.given
    inside = [t for t in (*layer.module._parameters.values(), *layer.module._buffers.values())
              if t is not None]  # fmt: skip
    if not inside or not isinstance(given, torch.Tensor) or inside[0].device == given.device:
        return None
    x = next((s for s in scene.tensors if s.value is given), None)
    x = x or next((s for s in scene.tensors if s.value.device == given.device), None)
    model = layer.root or scene.called
    name = x.name if x else "input"
    blanks = {"layer": layer.title, "dl": inside[0].device, "x": name, "dx": given.device}
    if given.device.type == "cpu" and x is not None and x.node is not None:
        return told(
            "input", fix_with(scene, {x.node: f"{x.atom}.to({str(inside[0].device)!r})"}), **blanks
        )
    named = x is not None and isinstance(x.node, ast.Name)
    where = f"{x.atom}.device" if named else repr(str(given.device))
    if isinstance(scene.node, ast.Call) and "(" in model:
        return told("layer", fix_with(scene, {scene.node.func: f"{model}.to({where})"}), **blanks)
    where = repr(str(given.device)) if scene.outer else where
    return told("layer", run_again(scene, f"{model}.to({where})"), **blanks)


def _plain_attribute(scene: Scene) -> Told | None:
    """A tensor of the model that is neither a parameter nor a buffer, and was left behind."""
    this = scene.reader.names.get("self")
    if not isinstance(this, torch.nn.Module) or scene.outer is None:
        return None
    for seen in scene.tensors:
        name = seen.name.removeprefix("self.")
        if seen.name == f"self.{name}" and isinstance(vars(this).get(name), torch.Tensor):
            model = _name_of(scene.outer, this)
            if not model:
                return told("attribute", a=seen.name, name=name, model=type(this).__name__)
            other = next((s for s in scene.tensors if s.value.device != seen.value.device), None)
            device = str(other.value.device) if other else "cuda"
            code = (
                f"value = {model}.{name}\ndel {model}.{name}\n"
                f'{model}.register_buffer("{name}", value)\n{model}.to("{device}")'
            )
            again = run_again(scene, code)
            return told("attribute", again, a=seen.name, name=name, model=type(this).__name__)
    return None


def _name_of(scene: Scene, value: object) -> str:
    names = scene.reader.names
    return next((n for n in names if names[n] is value and not n.startswith("_")), "")


def look_at_numpy(scene: Scene, found: re.Match) -> Told | None:
    """NumPy reads the memory of the CPU only."""
    x = scene.tensors[0] if scene.tensors else None
    if x is None or x.node is None:
        return None
    blanks = {"x": x.name, "dx": x.value.device}
    if x.real and x.value.is_meta:
        code = f'{x.name} = {torch_name(scene)}.zeros_like({x.name}, device="cpu")'
        return told("meta", runnable(scene, f"{code}\n{statement_with(scene, {})}"), **blanks)
    return told("numpy", fix_with(scene, {x.node: f"{x.atom}.cpu()"}), **blanks)


def look_at_meta(scene: Scene, found: re.Match) -> Told | None:
    """A tensor on meta has a shape and no numbers."""
    x = next((s for s in scene.tensors if s.real and s.value.is_meta), None)
    if isinstance(scene.node, ast.Call) and scene.called.endswith(".to"):
        owner = scene.reader.read(scene.node.func.value)
        if isinstance(owner, torch.nn.Module):
            head = scene.text(scene.node.func.value)
            to = ", ".join(f"device={scene.text(a)}" for a in scene.node.args)
            code = fix_with(scene, {scene.node: f"{head}.to_empty({to})"})
            return told("model", code, x=head)
    if x is None:
        return None
    code = f'{x.name} = {torch_name(scene)}.zeros_like({x.name}, device="cpu")'
    return told("meta", runnable(scene, f"{code}\n{statement_with(scene, {})}"), x=x.name)


def look_at_missing(scene: Scene, found: re.Match) -> Told | None:
    """There is no such device on this machine."""
    choose = f'"cuda" if {torch_name(scene)}.cuda.is_available() else "cpu"'
    node = scene.node
    if isinstance(node, ast.Call):
        if scene.called.endswith(".cuda"):
            owner = scene.text(node.func.value)
            return told("plain", fix_with(scene, {node: f"{owner}.to({choose})"}))
        for each in [*node.args, *(k.value for k in node.keywords)]:
            value = scene.reader.read(each)
            if "cuda" in str(value) and isinstance(value, (str, torch.device)):
                return told("plain", fix_with(scene, {each: choose}))
        if scene.called.endswith("load"):
            text = rewrite(scene.source, node, {}).rstrip()[:-1]
            return told("load", fix_with(scene, {node: f'{text}, map_location="cpu")'}))
    return None


def look_at_pin(scene: Scene, found: re.Match) -> Told | None:
    """Only what lies on the CPU can be pinned."""
    x = scene.tensors[0] if scene.tensors else None
    if x is None:
        return None
    fix = ""
    simple = isinstance(scene.statement, ast.Expr) and isinstance(x.node, ast.Name)
    if simple and scene.called == f"{x.name}.pin_memory":
        cpu = (
            f'{torch_name(scene)}.zeros_like({x.name}, device="cpu")'
            if x.value.is_meta
            else f"{x.name}.cpu()"
        )
        cuda = f"{torch_name(scene)}.cuda.is_available()"
        fix = runnable(scene, f"{x.name} = {cpu}\nif {cuda}:\n    {x.name} = {scene.called}()")
    return told("pin", fix, x=x.name, dx=x.value.device)


def look_at_name(scene: Scene, found: re.Match) -> Told | None:
    """A string that is no device: often the name of a dtype."""
    if not isinstance(scene.node, ast.Call):
        return None
    for each in [*scene.node.args, *(k.value for k in scene.node.keywords)]:
        value = scene.reader.read(each)
        if isinstance(value, str):
            dtype = getattr(torch, value, None)
            if isinstance(dtype, torch.dtype):
                return told(
                    "dtype", fix_with(scene, {each: f"{torch_name(scene)}.{value}"}), s=value
                )
            fix = (
                fix_with(scene, {each: '"cuda"'})
                if value == "gpu" and torch.cuda.is_available()
                else ""
            )
            return told("name", fix, s=value)
    return None
