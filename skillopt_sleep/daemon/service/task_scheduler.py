"""Describe the daemon as a task of the Windows Task Scheduler."""

import subprocess
from xml.etree import ElementTree as ET

from skillopt_sleep.daemon.service.launch import Launch

TASK = "skillopt-sleep"
NAMESPACE = "http://schemas.microsoft.com/windows/2004/02/mit/task"

_SETTINGS = {
    "MultipleInstancesPolicy": "IgnoreNew",
    "DisallowStartIfOnBatteries": "false",
    "StopIfGoingOnBatteries": "false",
    "StartWhenAvailable": "true",
    "ExecutionTimeLimit": "PT0S",
    "Priority": "7",
}


def task(launch: Launch) -> bytes:
    """Return the task's XML: start at log-on and again every ten minutes unless it is running.

    A task can't set variables, so cmd.exe sets them; a value with a quote or percent sign can't be written and is
    left out.
    """
    root = ET.Element("Task", {"version": "1.2", "xmlns": NAMESPACE})
    ET.SubElement(ET.SubElement(root, "RegistrationInfo"), "Description").text = "skillopt-sleep: learns overnight"
    trigger = ET.SubElement(ET.SubElement(root, "Triggers"), "LogonTrigger")
    ET.SubElement(ET.SubElement(trigger, "Repetition"), "Interval").text = "PT10M"
    principal = ET.SubElement(ET.SubElement(root, "Principals"), "Principal", {"id": "Author"})
    ET.SubElement(principal, "LogonType").text = "InteractiveToken"
    ET.SubElement(principal, "RunLevel").text = "LeastPrivilege"
    settings = ET.SubElement(root, "Settings")
    for name, value in _SETTINGS.items():
        ET.SubElement(settings, name).text = value
    action = ET.SubElement(ET.SubElement(root, "Actions", {"Context": "Author"}), "Exec")
    ET.SubElement(action, "Command").text = "cmd.exe"
    ET.SubElement(action, "Arguments").text = _arguments(launch)
    ET.indent(root)
    # The one encoding that schtasks accepts everywhere.
    text = f'<?xml version="1.0" encoding="UTF-16"?>\n{ET.tostring(root, encoding="unicode")}\n'
    return text.replace("\n", "\r\n").encode("utf-16")


def _arguments(launch: Launch) -> str:
    commands = [f'set "{key}={value}"' for key, value in launch.environment.items() if not {'"', "%"} & set(value)]
    commands.append(subprocess.list2cmdline(launch.argv))
    return f'/d /s /c "{"&& ".join(commands)}"'
