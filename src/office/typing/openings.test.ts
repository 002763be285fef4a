import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { restart } from "../../../tests/desk/crashes.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import type { SendResponse } from "../../wire/shapes/messages.ts";

const LONG = `the first line\n${"and more of it; ".repeat(30)}\nthe end`;
const UNOPENED = "its turn has ended, and nothing has shown that its file was opened";

interface Scene {
  readonly desk: Desk;
  readonly coder: DeskAgent;
  readonly sent: SendResponse;
  readonly file: string;
}

async function byReference(): Promise<Scene> {
  const { desk, coder } = await oneAgent({ program: "stashing" });
  await desk.hooked(coder);
  const sent = await desk.send("coder", LONG);
  await desk.advance(3_000);
  const file = /\] Read (\/\S+)/u.exec(coder.program.submitted[0] ?? "")?.[1] ?? "";
  expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted", attempt: { file } });
  return { desk, coder, sent, file };
}

const claimsOf = ({ sighting }: DeskAgent) => ({
  user: "dev",
  tmux: { socket: sighting.identity.server, pane: sighting.identity.pane },
});

describe("a text that was sent by reference", () => {
  it("is not read because a turn has ended: it stays delivered, and says why", async () => {
    const { desk, coder, sent } = await byReference();
    await desk.turnEnds(coder);
    await desk.advance(60_000);
    await desk.turnEnds(coder);
    expect(desk.state(sent)).toBe("delivered");
    expect(desk.lastNote(sent)).toBe(UNOPENED);
    expect(desk.history(sent).filter((state) => state === "delivered")).toHaveLength(2);
  });

  it("is read when the session file shows that it was opened, at its turn's end or a moment later", async () => {
    for (const lateMs of [0, 2_000]) {
      const { desk, coder, sent, file } = await byReference();
      if (lateMs === 0) desk.opened.add(file);
      await desk.turnEnds(coder);
      await desk.advance(lateMs);
      desk.opened.add(file);
      await desk.advance(3_000);
      expect(desk.state(sent)).toBe("read");
      expect(desk.lastNote(sent)).toContain("session file");
    }
  });

  it("is read late when it was opened in a later turn, or while nobody looked", async () => {
    const { desk, coder, sent, file } = await byReference();
    await desk.turnEnds(coder);
    await desk.advance(60_000);
    desk.opened.add(file);
    await desk.advance(60_000);
    expect(desk.state(sent)).toBe("delivered");
    await desk.turnEnds(coder);
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("read");
  });

  it("is read after a restart that came before anybody looked", async () => {
    const { desk, coder, sent, file } = await byReference();
    await desk.turnEnds(coder);
    desk.opened.add(file);
    await restart(desk);
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("read");
  });

  it("is read when the read tool's hook tells, but not a sub-agent's, nor that of another file", async () => {
    const { desk, coder, sent, file } = await byReference();
    await desk.done(desk.hook(coder, { name: "PostToolUse", opened: file, subAgent: { id: "s1" } }));
    await desk.done(desk.hook(coder, { name: "PostToolUse", opened: `${file}.other` }));
    expect(desk.state(sent)).toBe("delivered");
    await desk.done(desk.hook(coder, { name: "PostToolUse", opened: file }));
    expect(desk.state(sent)).toBe("read");
    expect(desk.lastNote(sent)).toBe("its read tool opened the file");
  });

  it("is read by the agent's own bellhop read, and by nobody else's", async () => {
    const { desk, coder, sent } = await byReference();
    await desk.done(desk.use.read({ id: sent.messageId, claims: { user: "dev" } }));
    expect(desk.state(sent)).toBe("delivered");
    await desk.done(desk.use.read({ id: sent.messageId, claims: claimsOf(coder) }));
    expect(desk.state(sent)).toBe("read");
    expect(desk.lastNote(sent)).toBe("read with bellhop read");
  });

  it("of several in one file is read where that file was opened", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await desk.hooked(coder);
    await desk.use.pause({ who: "coder", paused: true });
    const sent = [await desk.send("coder", LONG), await desk.send("coder", "short")];
    await desk.use.pause({ who: "coder", paused: false });
    await desk.advance(3_000);
    const file = /\] Read (\/\S+)/u.exec(coder.program.submitted[0] ?? "")?.[1] ?? "";
    await desk.turnEnds(coder);
    expect(sent.map((each) => desk.state(each))).toEqual(["delivered", "delivered"]);
    desk.opened.add(file);
    await desk.advance(5_000);
    expect(sent.map((each) => desk.state(each))).toEqual(["read", "read"]);
  });

  it("is not read by what a screen shows of a turn either", async () => {
    const { desk, coder } = await oneAgent({ program: "plain" });
    const sent = await desk.send("coder", LONG);
    await desk.advance(500);
    coder.program.becomes({ busy: true });
    await desk.advance(5_000);
    coder.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(desk.lastNote(sent)).toBe(UNOPENED);
  });
});
