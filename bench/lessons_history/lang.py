"""The small language the history is written in. Every constructor gives one event of a session."""

SESSIONS = []


class Paste(str):
    """A piece of a prompt that was pasted: the text of others."""


def S(id, project, agent, start, *events):
    SESSIONS.append({"id": id, "project": project, "agent": agent, "start": start, "events": list(events)})


def U(*parts):
    """What the person typed and sent; Paste(...) parts are pasted."""
    return {"e": "user", "parts": [{"paste": isinstance(p, Paste), "text": str(p)} for p in parts]}


def Slash(name, args, body):
    """A custom slash command of the person: its arguments are typed, its body is a file written earlier."""
    return {"e": "slash", "name": name, "args": args, "body": body}


def A(text):
    return {"e": "assistant", "text": text}


def _tool(name, reject, **kw):
    d = {"e": "tool", "tool": name, "reject": reject}
    d.update(kw)
    return d


def Bash(cmd, out="", desc=None, code=0, reject=False, stop=False):
    """A shell call of the agent. reject=True: the person said no; reject="words": no, with words.
    stop=True: it was running when the person pressed Esc."""
    return _tool("Bash", reject, cmd=cmd, out=out, desc=desc or cmd.split()[0], code=code, stop=stop)


def Read(path, content=None):
    """The agent reads a file; content=None: as the session left it (agent's edits and Mine() applied)."""
    return _tool("Read", False, path=path, content=content)


def Write(path, content, reject=False):
    return _tool("Write", reject, path=path, content=content)


def Edit(path, old, new, reject=False):
    return _tool("Edit", reject, path=path, old=old, new=new)


def Fetch(url, prompt, result):
    return _tool("WebFetch", False, url=url, prompt=prompt, out=result)


def Stop():
    """The person presses Esc while the agent is writing."""
    return {"e": "interrupt"}


def B(cmd, out="", err="", code=0):
    """A command the person ran in the agent's prompt (Claude Code `!cmd`, Codex user shell)."""
    return {"e": "bang", "cmd": cmd, "out": out, "err": err, "code": code}


def Mine(path, old, new):
    """The person changes a file in an editor of their own: no record, the next Read shows it."""
    return {"e": "mine", "path": path, "old": old, "new": new}
