import { describe, expect, it } from "vitest";
import { processesOn } from "../../src/processes/processes.ts";
import { parseScreenLines } from "../../src/terminals/tmux/screen/parser.ts";
import { describeTerminalContract } from "./terminal.ts";
import { TerminalDouble } from "./terminal-double.ts";
import type { OpenedTerminal, ProgramOptions, TerminalHarness } from "./terminal-harness.ts";

const clock = { now: () => 1_700_000_000_000 };

describeTerminalContract("the double", async (): Promise<TerminalHarness> => {
  const processes = processesOn(process.platform);
  return {
    processes,
    async open(program: ProgramOptions = {}): Promise<OpenedTerminal> {
      const double = new TerminalDouble({
        clock,
        bracketedPaste: program.bracketed ?? false,
        screen: {
          alternate: program.alternate ?? false,
          cursor: { x: 0, y: 0, visible: !program.hideCursor },
        },
      });
      double.people = 0;
      const ourselves = await processes.identify(process.pid);
      if (ourselves === "gone") throw new Error("nobody runs this test");
      return {
        terminal: double,
        panePid: double.panePid,
        identity: {
          ...double.ref,
          serverPid: ourselves.pid,
          serverStartedAt: ourselves.startedAt,
          panePid: double.panePid,
          agentPid: ourselves.pid,
          agentStartedAt: ourselves.startedAt,
        },
        async show(lines, cursor = { x: 0, y: 0 }) {
          const missing = Array.from({ length: double.screen.rows - lines.length }, () => "");
          const { visible } = double.screen.cursor;
          double.show({ lines: parseScreenLines([...lines, ...missing]), cursor: { ...cursor, visible } });
        },
        received: async () => double.received,
        async suspend(how) {
          double.standing = () => (how === "stopped" ? "stopped" : "behind");
          return {
            undo: async () => {
              double.standing = () => "in-front";
            },
          };
        },
        readInFront: () => "",
        async attachPerson() {
          double.people += 1;
          return { press: (bytes) => double.personTyped(bytes) };
        },
        async provoke(reason) {
          if (reason === "typing") double.personTyped();
          else double.show({ [STATE_OF[reason]]: reason === "mode" ? "copy-mode" : true });
          return { undo: async () => double.show({ mode: "", synchronised: false, inputOff: false }) };
        },
        destroy: async () => double.end(),
      };
    },
    close: async () => {},
  };
});

const STATE_OF = { mode: "mode", synchronised: "synchronised", "input-off": "inputOff" } as const;

describe("the double of a terminal", () => {
  it("answers what it was told to, and then looks for itself again", async () => {
    const double = new TerminalDouble({ clock });
    double.answerGate({ kind: "unknown", cause: "late" }, { kind: "refused", because: ["typing"] });
    const type = () => double.gate({ panePid: double.panePid }, [{ kind: "key", name: "C-u" }]);
    expect([await type(), await type(), await type()]).toEqual([
      { kind: "unknown", cause: "late" },
      { kind: "refused", because: ["typing"] },
      { kind: "sent" },
    ]);
    expect(double.received.toString()).toBe("\x15");
    expect(double.gateCalls).toHaveLength(3);
  });

  it("lets a scripted program answer what is typed", async () => {
    const double = new TerminalDouble({ clock });
    double.onTyped = () => double.show({ lines: ["working…"] });
    await double.gate({ panePid: double.panePid }, [{ kind: "key", name: "Enter" }]);
    expect(await double.read()).toMatchObject({ screen: { lines: [{ text: "working…" }] } });
  });

  it("announces nothing when it was told to answer otherwise", async () => {
    const double = new TerminalDouble({ clock });
    double.answerAnnounce({ kind: "unknown", cause: "late" });
    expect(await double.announce("never")).toEqual({ kind: "unknown", cause: "late" });
    double.answerAnnounce(new Error("broken"));
    await expect(double.announce("never")).rejects.toThrow("broken");
    double.answerAnnounce(undefined);
    expect(await double.announce("now")).toEqual({ kind: "shown", to: 1 });
    expect(double.announcements).toEqual(["now"]);
  });

  it("can be unreadable", async () => {
    const double = new TerminalDouble({ clock });
    double.answerRead({ kind: "unreadable", cause: "late" });
    expect(await double.read()).toEqual({ kind: "unreadable", cause: "late" });
    double.answerRead(undefined);
    expect(await double.read()).toMatchObject({ kind: "screen" });
  });
});
