"""Why a submission cannot be graded, and what to do: the sentences, in the class's language."""

from autograder.settings import course_language

SENTENCES = {
    "empty": {
        "en": "The notebook file is empty. Save the notebook again and submit it.",
        "zh": "笔记本文件是空的。请重新保存笔记本，再提交一次。",
    },
    "too_large": {
        "en": "{name} is larger than {limit} MiB. Clear all outputs, save, and submit again.",
        "zh": "{name} 超过 {limit} MiB。请清除全部输出，保存后重新提交。",
    },
    "zip_as_notebook": {
        "en": "The file is a zip that was named .ipynb. Unpack it and submit the notebook in it.",
        "zh": "这个文件是改名为 .ipynb 的 zip 压缩包。请解压，提交其中的笔记本。",
    },
    "web_page": {
        "en": "The file is a web page (HTML), not a notebook. Download the notebook itself, as "
        ".ipynb, and submit that.",
        "zh": "这个文件是网页（HTML），不是笔记本。请下载 .ipynb 格式的笔记本本身再提交。",
    },
    "merge_marks": {
        "en": "The notebook holds the marks of an unresolved git merge (<<<<<<<). Resolve the "
        "merge, open the notebook once to see that it works, and submit again.",
        "zh": "笔记本里留有尚未解决的 git 合并冲突标记（<<<<<<<）。"
        "请先解决冲突，打开确认无误，再提交。",
    },
    "cut_off": {
        "en": "The notebook stops in the middle: it was not saved or sent completely. Save it and "
        "submit again.",
        "zh": "笔记本不完整，中途断开：保存或上传没有完成。请重新保存并提交。",
    },
    "not_json": {
        "en": "The file is not a notebook: it is not JSON. Open it in JupyterLab; if that fails, "
        "copy the answers into a new copy of the assignment and submit that.",
        "zh": "这个文件不是笔记本：它不是 JSON。请用 JupyterLab 打开；打不开时，"
        "把答案抄进一份新领取的作业，再提交。",
    },
    "too_deep": {
        "en": "The notebook is nested too deeply to be read. Clear all outputs, save, and submit "
        "again.",
        "zh": "笔记本的嵌套过深，无法读取。请清除全部输出，保存后重新提交。",
    },
    "no_cells": {
        "en": "The file is JSON, but not a notebook: it has no list of cells. Submit the .ipynb "
        "file that JupyterLab saved.",
        "zh": "这个文件是 JSON，却不是笔记本：其中没有单元格。"
        "请提交 JupyterLab 保存的 .ipynb 文件。",
    },
    "many_cells": {
        "en": "The notebook has more than {limit} cells. Remove those that are not needed and "
        "submit again.",
        "zh": "笔记本的单元格超过 {limit} 个。请删去不需要的，再提交一次。",
    },
    "no_folder": {
        "en": "The submission is not a folder of its own (it is missing, or a link). Put the "
        "notebook into an ordinary folder.",
        "zh": "提交的不是一个普通文件夹（缺失，或是链接）。请把笔记本放进普通文件夹。",
    },
    "bad_name": {
        "en": "The folder {name} cannot be a student's: its name is longer than 100 characters, "
        "or holds one that nbgrader, web pages or shells take for something else. Rename it.",
        "zh": "文件夹 {name} 不能是学生的：名字超过 100 个字符，"
        "或含有在 nbgrader、网页、命令行中另有含义的字符。请改名。",
    },
    "unreadable": {
        "en": "{name} could not be read ({problem}). Check its permissions, or submit it again.",
        "zh": "{name} 无法读取（{problem}）。请检查它的权限，或重新提交。",
    },
    "missing": {
        "en": "No file {name} was submitted. Submit the notebook under that name.",
        "zh": "没有提交文件 {name}。请用这个名字提交笔记本。",
    },
    "other_name": {
        "en": "No file {name} was submitted, but {other}. If that is the notebook, rename it to "
        "{name}.",
        "zh": "没有提交文件 {name}，只有 {other}。如果那就是作业，请改名为 {name}。",
    },
    "several": {
        "en": "Several files could be {name}: {others}. Keep the right one, under that name.",
        "zh": "有几个文件都可能是 {name}：{others}。请只留下正确的一个，并用这个名字。",
    },
    "link": {
        "en": "{name} is a link, and links are not followed. Submit the file itself.",
        "zh": "{name} 是链接，系统不跟随链接。请提交文件本身。",
    },
    "hard_link": {
        "en": "{name} has a second name elsewhere on this machine (a hard link), so it may be "
        "somebody else's file. Submit a copy of it.",
        "zh": "{name} 在这台机器上另有一个名字（硬链接），可能是别人的文件。请提交一份副本。",
    },
    "not_a_file": {
        "en": "{name} is not an ordinary file but {kind}. Submit an ordinary file.",
        "zh": "{name} 不是普通文件（{kind}）。请提交普通文件。",
    },
    "not_in_zip": {
        "en": "No file {name} was submitted, and {other} does not hold it, at its root or in one "
        "folder. Submit the notebook itself.",
        "zh": "没有提交文件 {name}，{other} 的根目录和下一层文件夹中也没有它。请直接提交笔记本。",
    },
    "archive": {
        "en": "No file {name} was submitted, but the archive {other}, which is not opened. Unpack "
        "it and submit the notebook.",
        "zh": "没有提交文件 {name}，只有压缩包 {other}，系统不会打开它。请解压后提交笔记本。",
    },
    "zip_broken": {
        "en": "{name} is damaged or not a zip file. Make it again, or submit the notebook itself.",
        "zh": "{name} 已损坏，或不是 zip 文件。请重新压缩，或直接提交笔记本。",
    },
    "zip_many": {
        "en": "{name} holds more than {limit} files. Submit the notebook alone.",
        "zh": "{name} 中的文件超过 {limit} 个。请只提交笔记本。",
    },
    "zip_outside": {
        "en": "{name} holds a file that would be unpacked outside its folder. Submit the notebook "
        "itself.",
        "zh": "{name} 中有文件会被解压到文件夹之外。请直接提交笔记本。",
    },
    "zip_locked": {
        "en": "{name} is locked with a password. Submit it without one.",
        "zh": "{name} 有密码。请提交没有密码的文件。",
    },
    "zip_method": {
        "en": "{name} is compressed in a way that is not opened here. Make an ordinary zip, or "
        "submit the notebook itself.",
        "zh": "{name} 的压缩方式不受支持。请用普通的 zip，或直接提交笔记本。",
    },
    "zip_swells": {
        "en": "{name} would unpack to far more than a notebook. Clear all outputs, and submit the "
        "notebook itself.",
        "zh": "{name} 解压后远大于一个笔记本。请清除全部输出，直接提交笔记本。",
    },
    "zip_nested": {
        "en": "{name} holds another zip in place of the notebook. Unpack it, submit the notebook.",
        "zh": "{name} 中是另一个 zip，而不是笔记本。请解压后提交笔记本。",
    },
}


class Refused(Exception):
    """What was handed in cannot be used; `str(error)` says why and what to do."""

    def __init__(self, key: str, **details: object):
        super().__init__(SENTENCES[key][course_language()].format(**details))
