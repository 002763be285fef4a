import { describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../../tests/desk/clock.ts";
import type { ProcessInfo } from "../../ports/processes.ts";
import { chooseSession, listeningOrder, MOST_LISTENERS, parseSessions } from "./control/session-choice.ts";
import { findPrograms, parseLayout } from "./discover.ts";
import { KnownPanes } from "./known-panes.ts";

const ok = (...lines: string[]) => ({ ok: true, lines });
const SESSIONS = ok("$2/1700000002/0/0/team/space", "$0/1700000001/0/1/main: 1");
const PANES = ok(
  "%5/500/0/1700000003/$2/3/1/✳ a/b",
  "%0/100/0/1700000001/$2/0/0/linked",
  "%0/100/0/1700000001/$0/7/0/linked",
  "%6/600/1/1700000001/$0/8/0/dead one",
  "%7//0/1700000001/$0/8/1/no process",
);

const HOST = ok("workstation");

const processOf = (pid: number, name: string): ProcessInfo => ({
  pid,
  parentPid: 1,
  startedAt: `s${pid}`,
  argv: [name, "--flag"],
  command: name,
});

describe("the panes of a server", () => {
  it("are listed once each, labelled by the oldest session that shows them", () => {
    const layout = parseLayout([SESSIONS, PANES, HOST]);
    expect(layout?.panes.map((pane) => [pane.id, pane.label, pane.sessions, pane.title])).toEqual([
      ["%0", "main: 1:7.0", ["$0", "$2"], "linked"],
      ["%6", "main: 1:8.0", ["$0"], "dead one"],
      ["%7", "main: 1:8.1", ["$0"], "no process"],
      ["%5", "team/space:3.1", ["$2"], "✳ a/b"],
    ]);
  });

  it("have no title if it is the machine's name, which nobody has set", () => {
    const rows = ok("%0/100/0/1700000001/$0/0/0/workstation", "%1/101/0/1700000001/$0/1/0/workstation 2");
    const layout = parseLayout([SESSIONS, rows, HOST]);
    expect(layout?.panes.map(({ title }) => title)).toEqual(["", "workstation 2"]);
  });

  it.each([
    ["a row", [SESSIONS, ok("%5/500/0/1700000003/$2/3"), HOST]],
    ["a session", [ok("what"), PANES, HOST]],
    ["a pane of an unlisted session", [ok("$0/1700000001/0/1/main"), PANES, HOST]],
    ["an error", [SESSIONS, { ok: false, lines: ["no"] }, HOST]],
    ["a reply less", [SESSIONS, PANES]],
  ])("are unknown, all of them, when %s is not understood", (_, blocks) => {
    expect(parseLayout(blocks)).toBeUndefined();
  });

  it("are looked into by process tree, except the dead ones", async () => {
    const layout = parseLayout([SESSIONS, PANES, HOST]);
    if (layout === undefined) throw new Error("not understood");
    const asked: number[] = [];
    const tools: Parameters<typeof findPrograms>[3] = {
      processes: {
        async tree(pid) {
          asked.push(pid);
          return [processOf(pid, "bash"), ...(pid === 500 ? [processOf(501, "claude")] : [])];
        },
        workingFolder: async (pid) => `/folder/of/${pid}`,
      },
      recognise: (tree) => {
        const process = tree.find((each) => each.command === "claude");
        return process === undefined ? [] : [{ program: "claude", process }];
      },
    };
    const known = new KnownPanes(new FakeClock(new OpenWork()), { isInUse: () => true });
    const found = await findPrograms(layout, { pid: 9, startedAt: "170" }, "/tmp/sock", tools, known);
    expect(asked).toEqual([100, 500]);
    expect(found.map(({ sighting }) => sighting)).toEqual([
      {
        identity: {
          kind: "tmux",
          server: "/tmp/sock",
          pane: "%5",
          serverPid: 9,
          serverStartedAt: "170",
          panePid: 500,
          agentPid: 501,
          agentStartedAt: "s501",
        },
        program: "claude",
        label: "team/space:3.1",
        title: "✳ a/b",
        folder: "/folder/of/501",
        agentArgv: ["claude", "--flag"],
        drawnAt: 1_700_000_003_000,
      },
    ]);
  });
});

describe("the session a connection attaches to", () => {
  const sessions = (...rows: string[]) => parseSessions(rows) ?? [];

  it("is the one used last, so that the order of use stays", () => {
    expect(chooseSession(sessions("$0/5/0/0/a", "$1/9/off/0/b", "$2/7/0/1/c"))?.id).toBe("$1");
  });

  it("is not one that ends when we leave, while there is another", () => {
    expect(chooseSession(sessions("$0/5/0/0/a", "$1/9/1/1/b"))?.id).toBe("$0");
  });

  it("is one that ends with its last client only while somebody is in it", () => {
    expect(chooseSession(sessions("$0/5/on/1/a", "$1/9/keep-last/0/b"))?.id).toBe("$0");
    expect(chooseSession(sessions("$1/9/1/0/b"))).toBeUndefined();
  });

  it("is listened to in order of use, and never where leaving would end it", () => {
    const all = sessions("$0/9/0/0/a", "$1/5/0/0/b", "$2/7/1/1/c", "$3/1/0/0/d");
    expect(listeningOrder(all, new Set(["$0", "$1", "$2"]))).toEqual(["$1", "$0"]);
  });

  it("is listened to up to a maximum, the ones used last", () => {
    const rows = Array.from({ length: MOST_LISTENERS + 1 }, (_, index) => `$${index}/${index}/0/0/s${index}`);
    const all = sessions(...rows);
    const order = listeningOrder(all, new Set(all.map((session) => session.id)));
    expect(order).toHaveLength(MOST_LISTENERS);
    expect(order[0]).toBe("$1");
  });
});
