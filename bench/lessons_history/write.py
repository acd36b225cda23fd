#!/usr/bin/env python3
"""write.py ROOT [--until YYYY-MM-DD] [--shown FOLDER]: renders the history into ROOT/home (.claude, .codex) and ROOT/projects/<name>.

--until leaves out sessions that start after the end of that day (UTC), to cut the history into nights.
"""
import argparse, datetime as dt, difflib, hashlib, json, os, random, re, subprocess, sys
from pathlib import Path

import sessions as data

CLAUDE_VERSION, CODEX_VERSION = "2.1.330", "0.169.0"
CLAUDE_MODEL, CODEX_MODEL = "claude-opus-5-5", "gpt-5.5"
VENDOR = "[vendor text removed]"
REJECTED = ("The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
            "new_string was NOT written to the file). ")


def parse(ts):
    return dt.datetime.strptime(ts, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=dt.timezone.utc)


def iso(t):
    return t.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (t.microsecond // 1000)


def ms(t):
    return int(t.timestamp() * 1000)


class Rand(random.Random):
    def hex(self, n):
        return "".join(self.choice("0123456789abcdef") for _ in range(n))

    def uuid4(self):
        h = self.hex(32)
        return "%s-%s-4%s-%s%s-%s" % (h[:8], h[8:12], h[13:16], self.choice("89ab"), h[17:20], h[20:])

    def uuid7(self, t):
        h = "%012x" % ms(t)
        r = self.hex(19)
        return "%s-%s-7%s-%s%s-%s" % (h[:8], h[8:12], r[:3], self.choice("89ab"), r[3:6], r[6:18])


def session_uuid(s):
    r = Rand("session " + s["id"])
    return r.uuid4() if s["agent"] == "claude" else r.uuid7(parse(s["start"]))


def transcript(s, root=""):
    """Path of the transcript below ROOT (the Claude folder depends on ROOT)."""
    u = session_uuid(s)
    if s["agent"] == "claude":
        cwd = str(Path(root) / "projects" / s["project"])
        return "home/.claude/projects/%s/%s.jsonl" % (re.sub(r"[^A-Za-z0-9]", "-", cwd), u)
    t = parse(s["start"])
    return "home/.codex/sessions/%s/rollout-%s-%s.jsonl" % (t.strftime("%Y/%m/%d"), t.strftime("%Y-%m-%dT%H-%M-%S"), u)


def typed(e):
    """The whole prompt as it stands in the transcript."""
    return "".join(p["text"] for p in e["parts"])


class World:
    """Files as one session sees them."""

    def __init__(self, project):
        self.files = dict(data.PROJECTS[project]["files"])

    def edit(self, path, old, new):
        text = self.files[path]
        if text.count(old) != 1:
            raise SystemExit("edit of %s: %r stands there %d times" % (path, old, text.count(old)))
        self.files[path] = text.replace(old, new)


def hunks(a, b):
    a, b = a.splitlines(), b.splitlines()
    out = []
    for group in difflib.SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(3):
        i1, i2, j1, j2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
        lines = []
        for tag, x1, x2, y1, y2 in group:
            if tag == "equal":
                lines += [" " + l for l in a[x1:x2]]
            else:
                lines += ["-" + l for l in a[x1:x2]] + ["+" + l for l in b[y1:y2]]
        out.append({"oldStart": i1 + 1, "oldLines": i2 - i1, "newStart": j1 + 1, "newLines": j2 - j1, "lines": lines})
    return out


def unified(a, b):
    out = ""
    for h in hunks(a, b):
        out += "@@ -%d,%d +%d,%d @@\n%s\n" % (h["oldStart"], h["oldLines"], h["newStart"], h["newLines"], "\n".join(h["lines"]))
    return out


class Clock:
    def __init__(self, s):
        self.t, self.r = parse(s["start"]), Rand("clock " + s["id"])

    def tick(self, lo, hi):
        self.t += dt.timedelta(seconds=self.r.uniform(lo, hi))
        return self.t


# ------------------------------------------------------------------ Claude Code

class Claude:
    def __init__(self, s, root):
        self.s, self.sid = s, session_uuid(s)
        self.cwd = str(Path(root) / "projects" / s["project"])
        self.branch = data.PROJECTS[s["project"]]["branch"]
        self.r, self.clock, self.world = Rand("claude " + s["id"]), Clock(s), World(s["project"])
        self.mode = "acceptEdits" if self.r.random() < 0.5 else "default"
        self.rec, self.parent, self.prompt_id, self.prompts, self.last = [], None, None, 0, None
        self.seen, self.request, self.history, self.snapshot, self.turn_start = set(), None, [], None, 0
        self.tokens, self.opened, self.count = 0, False, 0

    def put(self, d):
        self.rec.append(d)

    def tail(self):
        return {"userType": "external", "entrypoint": "cli", "cwd": self.cwd, "sessionId": self.sid,
                "version": CLAUDE_VERSION, "gitBranch": self.branch}

    def node(self, d, session_id=True):
        """A record in the chain."""
        d = {"parentUuid": self.parent, "isSidechain": False, **d}
        if session_id:
            d["session_id"] = self.sid
        d.update(self.tail())
        self.parent = d["uuid"]
        self.count += 1
        self.put(d)
        return d

    def att(self, attachment, session_id=False, rendered="system", text=VENDOR, **more):
        self.node({"attachment": attachment, "type": "attachment", "uuid": self.r.uuid4(), "timestamp": iso(self.clock.t),
                   **({"rendered": [{"content": text}], "renderedRole": rendered} if rendered else {}), **more}, session_id)

    def state(self):
        self.put({"type": "mode", "mode": "normal", "sessionId": self.sid})
        self.put({"type": "permission-mode", "permissionMode": self.mode, "sessionId": self.sid})
        self.put({"type": "atis-latch", "atis": "", "sessionId": self.sid})

    def last_prompt(self):
        if self.last is not None:
            self.put({"type": "last-prompt", "lastPrompt": self.last, "leafUuid": self.parent, "sessionId": self.sid})
        self.state()

    def file_snapshot(self, mid):
        self.snapshot = mid
        self.put({"type": "file-history-snapshot", "messageId": mid, "snapshot": {"messageId": mid, "trackedFileBackups": {},
                  "timestamp": iso(self.clock.t)}, "isSnapshotUpdate": False})

    def prompt_snapshot(self):
        self.att({"type": "prompt_snapshot", "systemPrompt": [VENDOR] * 10, "reminderFold": False, "echoWireToolInputs": False,
                  "contextRendering": "announced"}, True, rendered=None)

    def opening(self):
        """What follows the first prompt."""
        if self.opened:
            return
        self.opened = True
        day = self.clock.t.strftime("%Y-%m-%d")
        self.att({"type": "environment", "snapshot": {"workingDirectory": self.cwd, "isWorktree": False, "isGitRepo": True,
                  "additionalWorkingDirectories": [], "platform": "linux", "shell": "bash", "osVersion": "Linux 6.18.44"}})
        self.att({"type": "model", "identity": {"modelId": CLAUDE_MODEL, "marketingName": "Opus 5.5", "knowledgeCutoff": "June 2026"},
                  "text": VENDOR})
        names = ["CronCreate", "CronDelete", "CronList", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "Monitor",
                 "NotebookEdit", "SendMessage", "TaskStop", "WebFetch"]
        self.att({"type": "deferred_tools_delta", "addedNames": names, "addedLines": names, "removedNames": [], "wireHiddenNames": [],
                  "readdedNames": [], "pendingMcpServers": [], "failedMcpServers": []})
        agents = ["claude", "claude-code-guide", "Explore", "general-purpose", "Plan", "statusline-setup"]
        self.att({"type": "agent_listing_delta", "addedTypes": agents, "addedLines": [VENDOR] * 6, "builtInTypes": agents,
                  "builtInPluginTypes": [], "removedTypes": [], "isInitial": True, "showConcurrencyNote": True})
        self.att({"type": "skill_listing", "content": VENDOR, "skillCount": 3, "isInitial": True, "names": ["dataviz", "code-review", "init"],
                  "digests": [self.r.hex(16) for _ in range(3)]})
        self.att({"type": "session_context", "context": {"gitStatus": VENDOR}}, True, "user")
        self.att({"type": "date", "date": day}, True, text="<system-reminder>\nToday's date is %s.\n</system-reminder>" % day)
        self.att({"type": "remote_session_change", "url": None, "commit": "Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>",
                  "pr": "🤖 Generated with [Claude Code](https://claude.com/claude-code)", "sendUserFileHint": False,
                  "managedCommit": False, "managedPr": False}, True, "user", renderedBesideToolResult=True)
        self.prompt_snapshot()
        self.put({"type": "api-request-shape", "sessionId": self.sid, "shapeHash": self.r.hex(64), "timestamp": iso(self.clock.t),
                  "version": CLAUDE_VERSION, "shape": {"system": [{"type": "text", "text": VENDOR}], "tools": [
                      {"name": n, "description": VENDOR, "input_schema": {"type": "object", "properties": {}}} for n in
                      ("Bash", "Edit", "Read", "Write")]}})

    def ask(self, texts):
        """The request the program sends to its model."""
        hashes = []
        if texts:
            h = self.r.hex(64)
            hashes.append(h)
            self.put({"type": "api-request-blob", "sessionId": self.sid, "hash": h,
                      "message": {"role": "user", "content": [{"type": "text", "text": t} for t in texts]}})
        base, self.request = self.request, self.r.uuid4()
        d = {"type": "api-request", "sessionId": self.sid, "id": self.request, "timestamp": iso(self.clock.tick(0.1, 0.4)),
             "version": CLAUDE_VERSION, "querySource": "repl_main_thread", "shapeHash": self.r.hex(64),
             "params": {"model": CLAUDE_MODEL, "max_tokens": 128000, "thinking": {"type": "adaptive", "display": "updates"},
                        "output_config": {"effort": "medium"}}}
        if base:
            d["base"] = base
        d.update({"keep": 2 if base else 0, "tail": hashes, "cacheControl": [{"path": ["system", 0], "value": {"type": "ephemeral"}}],
                  "requestDigest": self.r.hex(64)})
        self.put(d)
        self.msg, self.req, self.block = "msg_" + self.r.hex(20), "req_" + self.r.hex(12), 0

    def say(self, block, stop):
        self.tokens += 25
        use = {"input_tokens": 1200, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 25,
               "output_tokens_details": {"thinking_tokens": 0}, "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
               "service_tier": "standard", "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
               "inference_geo": "", "iterations": [], "speed": "standard", "fallback_credit": None}
        d = {"message": {"id": self.msg, "type": "message", "role": "assistant", "model": CLAUDE_MODEL, "content": [block],
                         "stop_reason": stop, "stop_sequence": None, "usage": use, "stop_details": None}}
        if block["type"] == "tool_use":
            d["toolInputStreamMs"] = self.r.randint(1, 40)
        d.update({"apiBlockIndex": self.block, "requestId": self.req, "requestRef": self.request, "requestedModel": CLAUDE_MODEL,
                  "promptCacheRequested": "5m", "type": "assistant", "uuid": self.r.uuid4(), "timestamp": iso(self.clock.tick(1, 4)),
                  "effort": "medium", "perTurnEffort": "medium", "madeBy": "model"})
        self.block += 1
        return self.node(d)

    def user(self, content, first=False, **more):
        d = {"promptId": self.prompt_id, "type": "user", "message": {"role": "user", "content": content}, "uuid": self.r.uuid4(),
             "timestamp": iso(self.clock.t)}
        d.update(more)
        return self.node(d, not first)

    def begin(self):
        self.prompt_id = self.r.uuid4()
        self.prompts += 1
        self.turn_start = ms(self.clock.t)

    def human(self):
        return {"permissionMode": self.mode, "origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human",
                "turnPosition": {"promptIndex": self.prompts, "turnIndex": self.prompts}}

    def prompt(self, e):
        text = typed(e)
        self.begin()
        u = self.user(text, True, **self.human())
        self.file_snapshot(u["uuid"])
        self.rec[-1], self.rec[-2] = self.rec[-2], self.rec[-1]
        self.opening()
        self.last = text.replace("\n", " ")[:200]
        display, pasted, n = "", {}, 0
        for p in e["parts"]:
            if p["paste"]:
                n += 1
                pasted[str(n)] = {"id": n, "type": "text", "content": p["text"]}
                display += "[Pasted text #%d +%d lines]" % (n, p["text"].count("\n"))
            else:
                display += p["text"]
        self.history.append((display, pasted, ms(self.clock.t)))
        self.ask([VENDOR, VENDOR, text] if self.prompts == 1 else [text])

    def slash(self, e):
        self.begin()
        text = "<command-message>%s</command-message>\n<command-name>/%s</command-name>\n<command-args>%s</command-args>" % (
            e["name"], e["name"], e["args"])
        u = self.user(text, True, **self.human())
        self.file_snapshot(u["uuid"])
        self.rec[-1], self.rec[-2] = self.rec[-2], self.rec[-1]
        body = e["body"].replace("$ARGUMENTS", e["args"])
        self.user([{"type": "text", "text": body}], True, isMeta=True)
        self.opening()
        self.last = ("/%s %s" % (e["name"], e["args"]))[:200]
        self.history.append(("/%s %s" % (e["name"], e["args"]), {}, ms(self.clock.t)))
        self.ask([text, body])

    def bang(self, e):
        self.begin()
        a = self.user("<bash-input>%s</bash-input>" % e["cmd"], True)
        self.history.append(("!" + e["cmd"], {}, ms(self.clock.t)))
        self.clock.tick(0.1, 2)
        out = "<bash-stdout>%s</bash-stdout><bash-stderr>%s</bash-stderr>" % (e["out"].rstrip("\n"), e["err"])
        self.user(out, True, turnOrigin="human", turnPosition={"promptIndex": self.prompts, "turnIndex": self.prompts})
        self.file_snapshot(a["uuid"])
        self.rec.insert(-2, self.rec.pop())
        self.opening()
        self.ask([a["message"]["content"] + "\n", out])
        self.say({"type": "text", "text": "I see the output."}, "end_turn")
        self.end()

    def end(self):
        self.node({"type": "system", "subtype": "turn_duration", "durationMs": ms(self.clock.t) - self.turn_start,
                   "messageCount": self.count, "timestamp": iso(self.clock.t), "uuid": self.r.uuid4(), "isMeta": False}, False)
        self.last_prompt()

    def result(self, call, content, result, error=False, sandboxed=None, **more):
        block = {"tool_use_id": call["id"], "type": "tool_result", "content": content}
        if error:
            block = {"type": "tool_result", "content": content, "is_error": True, "tool_use_id": call["id"]}
        elif call["name"] == "Bash":
            block["is_error"] = False
        extra = {"toolUseResult": result}
        if sandboxed is not None:
            extra["sandboxed"] = sandboxed
        extra["sourceToolAssistantUUID"] = call["uuid"]
        extra["permissionDecision"] = {"decision": "accept", "source": "config", "reasonType": "mode"}
        extra.update(more)
        self.clock.tick(0.2, 2)
        self.user([block], **extra)
        self.prompt_snapshot()
        self.last_prompt()
        self.waiting = True

    def call(self, name, inp):
        if self.waiting:
            self.ask([])
            self.waiting = False
        u = self.say({"type": "tool_use", "id": "toolu_" + self.r.hex(20), "name": name, "input": inp}, "tool_use")
        return {"id": u["message"]["content"][0]["id"], "uuid": u["uuid"], "name": name}

    waiting = False

    def refuse(self, call, words):
        self.clock.tick(3, 20)
        self.last_prompt()
        said = words if isinstance(words, str) else None
        text = REJECTED + ("To tell you how to proceed, the user said:\n" + said if said else
                           "STOP what you are doing and wait for the user to tell you how to proceed.")
        self.user([{"type": "tool_result", "content": text, "is_error": True, "tool_use_id": call["id"]}],
                  toolUseResult="User rejected tool use", toolDenialKind="user-rejected", toolDenialBeforeRun=True,
                  sourceToolAssistantUUID=call["uuid"])
        self.prompt_snapshot()
        if not said:
            self.interrupted(" for tool use")

    def interrupted(self, how=""):
        self.user([{"type": "text", "text": "[Request interrupted by user%s]" % how}])
        self.last_prompt()

    def tool(self, e):
        name, full = e["tool"], lambda p: self.cwd + "/" + p
        files = self.world.files
        if name == "Edit" and e["path"] not in self.seen:
            self.tool({"e": "tool", "tool": "Read", "reject": False, "path": e["path"], "content": None})
        if name == "Bash":
            c = self.call("Bash", {"command": e["cmd"], "description": e["desc"]})
            if e["reject"]:
                self.refuse(c, e["reject"])
            elif e["stop"]:
                self.clock.tick(2, 12)
                text = "Exit code 137\n%s\n[Request interrupted by user for tool use]" % e["out"].rstrip("\n")
                self.result(c, text, "Error: " + text, True)
                self.interrupted(" for tool use")
            else:
                out = e["out"].rstrip("\n")
                if e["code"]:
                    text = "Exit code %d\n%s" % (e["code"], out)
                    self.result(c, text, "Error: " + text, True)
                else:
                    self.result(c, out or "(Bash completed with no output)", {"stdout": out, "stderr": "", "interrupted": False,
                                "isImage": False, "noOutputExpected": False}, sandboxed=False)
        elif name == "Read":
            if e["content"] is not None:
                files[e["path"]] = e["content"]
            text = files[e["path"]]
            lines = text.split("\n")
            c = self.call("Read", {"file_path": full(e["path"])})
            self.result(c, "\n".join("%d\t%s" % (i + 1, l) for i, l in enumerate(lines)), {"type": "text", "file": {
                "filePath": full(e["path"]), "content": text, "numLines": len(lines), "startLine": 1, "totalLines": len(lines)}})
            self.seen.add(e["path"])
        elif name in ("Write", "Edit"):
            old = files.get(e["path"])
            if name == "Write":
                inp = {"file_path": full(e["path"]), "content": e["content"]}
            else:
                inp = {"file_path": full(e["path"]), "old_string": e["old"], "new_string": e["new"], "replace_all": False}
            c = self.call(name, inp)
            if e["reject"]:
                return self.refuse(c, e["reject"])
            if name == "Edit":
                self.world.edit(e["path"], e["old"], e["new"])
            else:
                files[e["path"]] = e["content"]
            new = files[e["path"]]
            self.put({"type": "file-history-delta", "messageId": c["uuid"], "snapshotMessageId": self.snapshot, "trackingPath": e["path"],
                      "backup": {"backupFileName": None if old is None else self.r.hex(16) + "@v2", "version": 1 if old is None else 2,
                                 "backupTime": iso(self.clock.t), "realParentDir": os.path.dirname(full(e["path"]))},
                      "timestamp": iso(self.clock.t)})
            note = " (file state is current in your context — no need to Read it back)"
            if name == "Write":
                self.result(c, ("File created successfully at: %s" if old is None else "The file %s has been updated successfully.")
                            % full(e["path"]) + note, {"type": "create" if old is None else "update", "filePath": full(e["path"]),
                            "content": new, "structuredPatch": [] if old is None else hunks(old, new), "originalFile": old,
                            "userModified": False})
            else:
                self.result(c, "The file %s has been updated successfully." % full(e["path"]) + note, {
                    "filePath": full(e["path"]), "oldString": e["old"], "newString": e["new"], "originalFile": old,
                    "structuredPatch": hunks(old, new), "userModified": False, "replaceAll": False})
            self.seen.add(e["path"])
        elif name == "WebFetch":
            c = self.call("WebFetch", {"url": e["url"], "prompt": e["prompt"]})
            self.result(c, e["out"], {"bytes": len(e["out"]), "code": 200, "codeText": "OK", "result": e["out"], "durationMs": 900,
                                      "url": e["url"]})

    def render(self):
        ev = self.s["events"]
        self.state()
        tools = sorted({e["tool"] for e in ev if e["e"] == "tool"})
        if tools:
            self.put({"type": "tools-used", "tools": tools, "sessionId": self.sid})
        started = False
        for i, e in enumerate(ev):
            kind = e["e"]
            if kind in ("user", "slash", "bang") and started:
                self.clock.tick(25, 140)
            started = True
            nxt = ev[i + 1]["e"] if i + 1 < len(ev) else None
            if kind == "user":
                self.prompt(e)
            elif kind == "slash":
                self.slash(e)
            elif kind == "bang":
                self.bang(e)
            elif kind == "mine":
                self.world.edit(e["path"], e["old"], e["new"])
            elif kind == "assistant":
                if self.waiting:
                    self.ask([])
                self.clock.tick(1, 6)
                self.say({"type": "text", "text": e["text"]}, {"tool": "tool_use", "interrupt": None}.get(nxt, "end_turn"))
                if nxt not in ("tool", "interrupt"):
                    self.end()
            elif kind == "tool":
                self.tool(e)
            elif kind == "interrupt":
                self.interrupted()
            self.waiting = kind == "tool"
        cost = {"type": "cost-state", "sessionId": self.sid, "totalCostUSD": round(self.tokens * 0.000212, 4), "totalAPIDuration": 244,
                "totalAPIDurationWithoutRetries": 235, "totalToolDuration": 0, "totalLinesAdded": 0, "totalLinesRemoved": 0,
                "totalDuration": ms(self.clock.t) - ms(parse(self.s["start"])), "startTime": ms(parse(self.s["start"])),
                "modelUsage": {CLAUDE_MODEL: {"inputTokens": self.tokens * 48, "outputTokens": self.tokens, "thinkingTokens": 0,
                               "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "cacheCreationEphemeral5mInputTokens": 0,
                               "cacheCreationEphemeral1hInputTokens": 0, "webSearchRequests": 0, "costUSD": round(self.tokens * 0.000212, 4)}},
                "hasUnknownModelCost": False}
        self.put(cost)
        hist = [{"display": d, "pastedContents": p, "timestamp": t, "project": self.cwd, "sessionId": self.sid} for d, p, t in self.history]
        return self.rec, hist


# ------------------------------------------------------------------ Codex

class Codex:
    def __init__(self, s, root, commit):
        self.s, self.sid, self.commit = s, session_uuid(s), commit
        self.cwd = str(Path(root) / "projects" / s["project"])
        self.branch = data.PROJECTS[s["project"]]["branch"]
        self.r, self.clock, self.world = Rand("codex " + s["id"]), Clock(s), World(s["project"])
        self.rec, self.seq, self.order, self.turn, self.history = [], 0, 0, None, []
        self.calls, self.in_turn, self.opened, self.said = 0, 0, False, None

    def put(self, type, payload, **more):
        self.rec.append({"timestamp": iso(self.clock.t), "ordinal": len(self.rec), "type": type, "payload": payload, **more})

    def event(self, payload):
        self.put("event_msg", payload)

    def meta(self, client=True, order=True, **more):
        self.seq += 1
        d = {"history_sequence": self.seq, "sampled_through_sequence": self.sampled, "client_authored": False}
        d.update(more)
        if order:
            d["user_input_order"] = self.order
            self.order += 1
        return d

    sampled = 0

    def passthrough(self, kinds=None, prov=None, time=True):
        d = {"turn_id": self.turn}
        if time:
            d["create_time"] = self.clock.t.timestamp()
        if kinds:
            d["content_item_kinds"] = kinds
        if prov:
            d["content_item_metadata"] = [{"provenance": p} for p in prov]
        return d

    def message(self, role, text, kinds, prov, order=False):
        mid = "msg_" + self.r.uuid7(self.clock.t)
        more = {}
        if order:
            more = {"retained_source": {"id": {"message_id": mid, "turn_id": self.turn, "role": role},
                    "revision": "retained_" + self.r.uuid7(self.clock.t), "complete": True}}
        m = self.meta(order=order, **more)
        if order:
            m["mcp_attribution"] = {"status": "none"}
        self.put("response_item", {"type": "message", "id": mid, "role": role, "content": [{"type": "input_text", "text": t} for t in
                 ([text] if isinstance(text, str) else text)], "internal_chat_message_metadata_passthrough": self.passthrough(kinds, prov)},
                 metadata=m)

    def item(self, item, start=None):
        self.event({"type": "item_completed", "thread_id": self.sid, "turn_id": self.turn, "item": item,
                    "started_at_ms": ms(start or self.clock.t), "completed_at_ms": ms(self.clock.t)})

    def settings(self):
        self.event({"type": "thread_settings_applied", "thread_id": self.sid, "thread_settings": {
            "model": CODEX_MODEL, "model_provider_id": "openai", "service_tier": "default", "approval_policy": "on-request",
            "approvals_reviewer": "user", "requested_approvals_reviewer": "user", "permission_profile": {"type": "disabled"},
            "cwd": self.cwd, "runtime_workspace_roots": [self.cwd], "collaboration_mode": {"mode": "default", "settings": {
                "model": CODEX_MODEL, "reasoning_effort": None, "developer_instructions": VENDOR}}, "disabled_plugin_ids": []}})

    def context(self):
        self.put("turn_context", {"turn_id": self.turn, "root_turn_id": self.turn, "disabled_plugin_ids": [], "cwd": self.cwd,
                 "approval_policy": "on-request", "approvals_reviewer": "user", "permission_profile": {"type": "disabled"},
                 "model": CODEX_MODEL, "comp_hash": "2911", "collaboration_mode": {"mode": "default", "settings": {
                     "model": CODEX_MODEL, "reasoning_effort": None, "developer_instructions": VENDOR}},
                 "multi_agent_version": "v1", "realtime_active": False, "summary": "none", "sandbox_policy": {"type": "danger-full-access"}})

    def start_turn(self):
        if self.opened:
            self.settings()
        self.turn = self.r.uuid7(self.clock.t)
        self.turn_start, self.in_turn, self.said = self.clock.t, 0, None
        self.event({"type": "task_started", "turn_attribution": {"turn_id": self.turn, "turn_trigger": "user", "parent_turn_id": None,
                    "initiating_agent_path": None, "root_turn_id": self.turn}, "turn_id": self.turn, "root_turn_id": self.turn,
                    "started_at": int(self.clock.t.timestamp()), "model_context_window": 258400, "collaboration_mode_kind": "default"})
        day = self.clock.t.strftime("%Y-%m-%d")
        if not self.opened:
            self.message("developer", [VENDOR] * 4, ["host_skills.instructions", "permissions.instructions", "collaboration_mode.instructions",
                         "tools.deferred_namespaces"], [{"type": "skills"}, {"type": "harness", "hook": False},
                         {"type": "harness", "hook": False}, {"type": "tool", "namespace": "tool_search"}])
            self.message("user", "<environment_context>\n  <cwd>%s</cwd>\n  <shell>bash</shell>\n  <current_date>%s</current_date>\n"
                         "  <timezone>Etc/UTC</timezone>\n  <filesystem><workspace_roots><root>%s</root></workspace_roots>"
                         "<permission_profile type=\"disabled\"><file_system type=\"unrestricted\" /></permission_profile></filesystem>\n"
                         "</environment_context>" % (self.cwd, day, self.cwd), ["environments.environment_context"],
                         [{"type": "harness", "hook": False}])
            self.put("world_state", {"full": True, "state": {"agents_md": {}, "apps_instructions": False, "collaboration_mode": {
                "mode": "default", "model": CODEX_MODEL, "instructions": self.r.hex(40)}, "context_window_guidance": "",
                "environments": {"environments": {"local": {"cwd": self.cwd, "status": "available", "shell": "bash"}},
                                 "current_date": day, "timezone": "Etc/UTC", "filesystem": VENDOR}, "model": CODEX_MODEL,
                "skills": {"includeInstructions": True}}})
        self.context()
        if not self.opened:
            self.settings()
        self.opened = True

    def prompt(self, e):
        text = typed(e)
        self.start_turn()
        self.message("user", text, ["user.text"], [{"type": "user"}], True)
        self.item({"type": "UserMessage", "id": self.r.uuid7(self.clock.t), "client_id": self.r.uuid4(),
                   "content": [{"type": "text", "text": text, "text_elements": []}]})
        self.history.append({"session_id": self.sid, "ts": int(self.clock.t.timestamp()), "text": text})
        self.sampled = self.seq

    def usage(self):
        """token_usage_record stands before the tool's result, token_count after it."""
        self.usage_record()
        self.token_count()

    @staticmethod
    def tokens(n):
        return {"input_tokens": 1200 * n, "cached_input_tokens": 100 * n, "cache_write_input_tokens": 0, "output_tokens": 25 * n,
                       "reasoning_output_tokens": 5 * n, "total_tokens": 1225 * n}

    def usage_record(self):
        self.calls += 1
        self.in_turn += 1
        u = self.tokens
        self.put("token_usage_record", {"thread_id": self.sid, "turn_id": self.turn, "session_id": self.sid, "root_turn_id": self.turn,
                 "response_id": "resp_" + self.r.hex(20), "usage": u(1), "turn_token_usage": u(self.in_turn), "thread_token_usage": u(self.calls)})

    def token_count(self):
        u = self.tokens
        self.event({"type": "token_count", "info": {"total_token_usage": u(self.calls), "last_token_usage": u(1),
                    "last_usage_includes_reasoning": False, "model_context_window": 258400}, "rate_limits": {
                    "limit_id": "codex", "limit_name": None, "primary": None, "secondary": None, "credits": None, "individual_limit": None,
                    "spend_control_reached": None, "plan_type": None, "rate_limit_reached_type": None}})

    def say(self, text):
        self.clock.tick(1, 6)
        mid = "msg_" + self.r.hex(12)
        self.said = text
        self.item({"type": "AgentMessage", "id": mid, "content": [{"type": "Text", "text": text}]})
        self.put("response_item", {"type": "message", "id": mid, "role": "assistant", "content": [
            {"type": "output_text", "text": text, "annotations": []}], "internal_chat_message_metadata_passthrough": {
            "turn_id": self.turn, "content_item_kinds": ["unknown"]}}, metadata=self.meta(retained_source={
                "id": {"message_id": mid, "turn_id": self.turn, "role": "assistant"},
                "revision": "retained_" + self.r.uuid7(self.clock.t), "complete": True}))

    def complete(self):
        self.usage()
        self.event({"type": "task_complete", "root_turn_id": self.turn, "turn_id": self.turn, "last_agent_message": self.said,
                    "started_at": int(self.turn_start.timestamp()), "completed_at": int(self.clock.t.timestamp()),
                    "duration_ms": ms(self.clock.t) - ms(self.turn_start), "time_to_first_token_ms": 940})

    def abort(self):
        self.message("user", "<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified exec processes may still "
                     "be running in the background. If any tools/commands were aborted, they may have partially executed.\n</turn_aborted>",
                     ["generic.turn_aborted"], [{"type": "harness", "hook": False}])
        self.event({"type": "turn_aborted", "root_turn_id": self.turn, "turn_id": self.turn, "reason": "interrupted",
                    "started_at": int(self.turn_start.timestamp()), "completed_at": int(self.clock.t.timestamp()),
                    "duration_ms": ms(self.clock.t) - ms(self.turn_start)})

    def output(self, call, text, custom=False):
        self.put("response_item", {"type": "custom_tool_call_output" if custom else "function_call_output",
                 "id": ("ctco_" if custom else "fco_") + self.r.uuid7(self.clock.t), "call_id": call, "output": text,
                 "internal_chat_message_metadata_passthrough": self.passthrough()},
                 metadata=self.meta(order=False, fallback_token_limit_override=12000))
        self.sampled = self.seq

    def command(self, cmd, out, code, source, start):
        self.item({"type": "CommandExecution", "id": self.call_id, "process_id": str(self.r.randint(9000, 32000)),
                   "command": ["/bin/bash", "-lc", cmd], "cwd": "file://" + self.cwd, "parsed_cmd": [{"type": "unknown", "cmd": cmd}],
                   "source": source, "status": "completed" if code == 0 else "failed", "aggregated_output": out, "exit_code": code,
                   "duration": {"secs": (self.clock.t - start).seconds, "nanos": 15764}}, start)

    def exec(self, e, cmd, out):
        self.call_id = "call_" + self.r.hex(12)
        args = {"cmd": cmd}
        if e.get("reject"):
            args.update({"sandbox_permissions": "require_escalated", "justification": "Run " + cmd.split()[0] + "?"})
        self.put("response_item", {"type": "function_call", "id": "fc_" + self.r.hex(12), "name": "exec_command",
                 "arguments": json.dumps(args, ensure_ascii=False), "call_id": self.call_id,
                 "internal_chat_message_metadata_passthrough": {"turn_id": self.turn}}, metadata=self.meta())
        start = self.clock.t
        if e.get("reject") or e.get("stop"):
            self.usage_record()
            self.clock.tick(2, 15)
            secs = (self.clock.t - start).total_seconds()
            self.output(self.call_id, "Wall time: %.1f seconds\naborted by user" % secs)
            self.token_count()
            self.abort()
            return
        self.usage_record()
        self.clock.tick(0.1, 3)
        code = e.get("code", 0)
        self.command(cmd, out, code, "unified_exec_startup", start)
        self.output(self.call_id, "Chunk ID: %s\nWall time: %.4f seconds\nProcess exited with code %d\nOriginal token count: %d\nOutput:\n%s" % (
            self.r.hex(6), (self.clock.t - start).total_seconds(), code, len(out) // 4, out))
        self.token_count()

    def patch(self, path, old, new):
        self.call_id = "call_" + self.r.hex(12)
        if old is None:
            text = "*** Begin Patch\n*** Add File: %s\n%s\n*** End Patch" % (path, "\n".join("+" + l for l in new.splitlines()))
            change, mark = {"type": "add", "content": new}, "A"
        else:
            body = "\n".join("@@\n" + "\n".join(h["lines"]) for h in hunks(old, new))
            text = "*** Begin Patch\n*** Update File: %s\n%s\n*** End Patch" % (path, body)
            change, mark = {"type": "update", "unified_diff": unified(old, new), "move_path": None}, "M"
        self.put("response_item", {"type": "custom_tool_call", "id": "ctc_" + self.r.hex(12), "status": "completed", "call_id": self.call_id,
                 "name": "apply_patch", "input": text, "internal_chat_message_metadata_passthrough": {"turn_id": self.turn}},
                 metadata=self.meta(order=False))
        self.usage_record()
        start = self.clock.t
        self.clock.tick(0.1, 1)
        self.item({"type": "FileChange", "id": self.call_id, "changes": {self.cwd + "/" + path: change}, "status": "completed",
                   "auto_approved": True, "stdout": "Success. Updated the following files:\n%s %s\n" % (mark, path), "stderr": ""}, start)
        self.output(self.call_id, "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\n%s %s\n" % (mark, path), True)
        self.token_count()

    def bang(self, e):
        self.start_turn()
        self.call_id = "call_" + self.r.hex(12)
        start = self.clock.t
        self.clock.tick(0.1, 3)
        self.command(e["cmd"], e["out"], e["code"], "user_shell", start)
        self.message("user", "<user_shell_command>\n<command>\n%s\n</command>\n<result>\nExit code: %d\nDuration: %.4f seconds\nOutput:\n%s\n"
                     "</result>\n</user_shell_command>" % (e["cmd"], e["code"], (self.clock.t - start).total_seconds(), e["out"]),
                     ["shell.user_command"], [{"type": "harness", "hook": False}])
        self.event({"type": "task_complete", "root_turn_id": self.turn, "turn_id": self.turn, "last_agent_message": None,
                    "started_at": int(self.turn_start.timestamp()), "completed_at": int(self.clock.t.timestamp()),
                    "duration_ms": ms(self.clock.t) - ms(self.turn_start), "time_to_first_token_ms": None})
        self.history.append({"session_id": self.sid, "ts": int(start.timestamp()), "text": "!" + e["cmd"]})

    def tool(self, e):
        files, name = self.world.files, e["tool"]
        self.clock.tick(1, 4)
        if name == "Bash":
            self.exec(e, e["cmd"], e["out"])
        elif name == "Read":
            if e["content"] is not None:
                files[e["path"]] = e["content"]
            self.exec({}, "cat " + e["path"], files[e["path"]])
        else:
            old = files.get(e["path"])
            if name == "Edit":
                self.world.edit(e["path"], e["old"], e["new"])
            else:
                files[e["path"]] = e["content"]
            self.patch(e["path"], old, files[e["path"]])

    def render(self):
        start = self.clock.t
        self.put("session_meta", {"account_scoped": True, "session_id": self.sid, "id": self.sid, "timestamp": iso(start), "cwd": self.cwd,
                 "runtime_workspace_roots": [self.cwd], "originator": "codex-tui", "cli_version": CODEX_VERSION, "source": "cli",
                 "thread_source": "user", "model_provider": "openai", "base_instructions": {"text": VENDOR, "provenance": {
                     "type": "model", "model": CODEX_MODEL}}, "history_mode": "paginated",
                 "context_window": {"window_id": self.r.uuid7(start)}, "git": {"commit_hash": self.commit, "branch": self.branch}})
        started, ev = False, self.s["events"]
        for i, e in enumerate(ev):
            kind, nxt = e["e"], ev[i + 1]["e"] if i + 1 < len(ev) else None
            if kind in ("user", "bang") and started:
                self.clock.tick(25, 140)
            started = True
            if kind == "user":
                self.prompt(e)
            elif kind == "bang":
                self.bang(e)
            elif kind == "mine":
                self.world.edit(e["path"], e["old"], e["new"])
            elif kind == "assistant":
                self.say(e["text"])
                if nxt not in ("tool", "interrupt"):
                    self.complete()
            elif kind == "tool":
                self.tool(e)
            elif kind == "interrupt":
                self.abort()
        return self.rec, self.history


# ------------------------------------------------------------------ all

def extra_files():
    """Files only sessions name, so that their paths exist."""
    out = {n: {} for n in data.PROJECTS}
    for s in data.SESSIONS:
        w = World(s["project"])
        for e in s["events"]:
            if e["e"] == "mine":
                w.edit(e["path"], e["old"], e["new"])
            if e["e"] != "tool" or e["reject"]:
                continue
            if e["tool"] == "Edit":
                w.edit(e["path"], e["old"], e["new"])
            elif e.get("content") is not None:
                w.files[e["path"]] = e["content"]
        for p, t in w.files.items():
            if p not in data.PROJECTS[s["project"]]["files"]:
                out[s["project"]].setdefault(p, t)
    for n, p in data.EMPTY_FOLDERS:
        out[n][p + "/.gitkeep"] = ""
    return out


def git(repo, *args):
    env = {**os.environ, "GIT_AUTHOR_NAME": data.PERSON_NAME, "GIT_AUTHOR_EMAIL": data.PERSON_MAIL,
           "GIT_COMMITTER_NAME": data.PERSON_NAME, "GIT_COMMITTER_EMAIL": data.PERSON_MAIL, "GIT_CONFIG_GLOBAL": "/dev/null",
           "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": data.COMMIT_DATE, "GIT_COMMITTER_DATE": data.COMMIT_DATE}
    return subprocess.run(["git", "-C", str(repo), *args], check=True, capture_output=True, text=True, env=env).stdout.strip()


def main(argv=None):
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("root")
    ap.add_argument("--shown", help="the folder that the transcripts tell instead of ROOT")
    ap.add_argument("--until", help="last day that is written, YYYY-MM-DD")
    a = ap.parse_args(argv)
    root = Path(os.path.abspath(a.root))
    shown = a.shown or str(root)
    commits, more = {}, extra_files()
    for name, p in data.PROJECTS.items():
        repo = root / "projects" / name
        for path, text in {**p["files"], **more[name]}.items():
            f = repo / path
            f.parent.mkdir(parents=True, exist_ok=True)
            f.write_text(text, encoding="utf-8")
        if not (repo / ".git").exists():
            git(repo, "init", "-q", "-b", p["branch"])
            git(repo, "add", "-A")
            git(repo, "commit", "-qm", "Start")
        commits[name] = git(repo, "rev-parse", "HEAD")
    hist = {"claude": [], "codex": []}
    n = 0
    for s in data.SESSIONS:
        if a.until and s["start"][:10] > a.until:
            continue
        w = Claude(s, shown) if s["agent"] == "claude" else Codex(s, shown, commits[s["project"]])
        rec, h = w.render()
        hist[s["agent"]] += h
        f = root / transcript(s, shown)
        f.parent.mkdir(parents=True, exist_ok=True)
        f.write_text("".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n" for r in rec), encoding="utf-8")
        end = w.clock.t.timestamp()
        os.utime(f, (end, end))
        n += 1
    for agent, lines in hist.items():
        lines.sort(key=lambda d: d.get("timestamp", d.get("ts")))
        f = root / "home" / ("." + agent) / "history.jsonl"
        f.parent.mkdir(parents=True, exist_ok=True)
        f.write_text("".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n" for r in lines), encoding="utf-8")
    print("%d sessions, %d repositories under %s" % (n, len(commits), root))


if __name__ == "__main__":
    main()
