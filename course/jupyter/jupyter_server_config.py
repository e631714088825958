"""A learner's JupyterLab: opens on the landing page, asks nothing, calls nobody."""

import os
from pathlib import Path

c = get_config()
ROOT = Path(__file__).resolve().parents[2]

c.ServerApp.root_dir = str(ROOT)
c.ServerApp.ip = "127.0.0.1"
c.ServerApp.allow_root = hasattr(os, "getuid") and os.getuid() == 0  # containers run as root
c.LabApp.default_url = f"/lab/tree/course/{os.environ.get('COURSE_LANGUAGE') or 'en'}/index.md"

c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"
c.LanguageServerManager.autodetect = False
c.FileContentsManager.delete_to_trash = False  # where there is no trash, deleting would fail

# Both only silence warnings: tornado's about ping times, ipykernel's about unencrypted channels.
c.ServerApp.tornado_settings = {"ws_ping_interval": 30000, "ws_ping_timeout": 30000}
c.KernelManager.transport_encryption = "auto"
