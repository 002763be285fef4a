import { describe, expect, it } from "vitest";
import { type Desk, oneAgent, openDesk } from "../../../tests/desk/desk.ts";
import type { BellhopError } from "../../core/errors.ts";
import type { ShownSession } from "../../wire/shapes/sessions.ts";

async function watched(desk: Desk, who: string) {
  const seen: ShownSession[] = [];
  const over: BellhopError[] = [];
  const watch = await desk.done(
    desk.office.streams.follow(
      { who },
      {
        hear: (followed) => {
          if ("session" in followed) seen.push(followed.session);
        },
        over: (error) => void over.push(error),
      },
      { user: "dev" },
    ),
  );
  return { seen, over, ...watch };
}

describe("whoever is watched", () => {
  it("is shown at once, then whenever its queue or its state changes, and not for nothing", async () => {
    const { desk, coder } = await oneAgent();
    const { seen, agent } = await watched(desk, "coder");
    expect(agent).toBe("coder");
    expect(seen).toMatchObject([{ agent: "coder", readiness: "idle", deliveries: [] }]);
    await desk.advance(20_000);
    expect(seen).toHaveLength(1);
    coder.program.becomes({ busy: true });
    await desk.advance(500);
    expect(seen.at(-1)).toMatchObject({ readiness: "busy" });
    await desk.send("coder", "when you can");
    await desk.advance(500);
    expect(seen.at(-1)).toMatchObject({
      deliveries: [{ preview: "when you can" }],
      hold: { reason: "busy" },
    });
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(seen.at(-1)).toMatchObject({ readiness: "idle", deliveries: [] });
  });

  it("is shown while its screen never rests", async () => {
    const { desk, coder } = await oneAgent();
    const { seen } = await watched(desk, "coder");
    for (let tick = 0; tick < 20; tick += 1) {
      coder.program.becomes({ busy: true });
      await desk.advance(50);
    }
    expect(seen.at(-1)).toMatchObject({ readiness: "busy" });
  });

  it("is shown with what stands where its program takes text", async () => {
    const { desk, coder } = await oneAgent();
    const { seen } = await watched(desk, "coder");
    expect(seen.at(-1)).toMatchObject({ composer: "empty" });
    coder.program.becomes({ draft: "half a sentence" });
    await desk.advance(500);
    expect(seen.at(-1)).toMatchObject({ composer: "draft" });
    coder.program.becomes({ draft: "", dialog: "Allow this?" });
    await desk.advance(500);
    expect(seen.at(-1)).toMatchObject({ composer: "dialog" });
    desk.ends(coder);
    await desk.done(desk.use.ls({}));
    await desk.advance(3_000);
    expect(seen.at(-1)).not.toHaveProperty("composer");
  });

  it("is followed into another terminal", async () => {
    const { desk, coder } = await oneAgent({ registry: { programSessionId: "one" } });
    const { seen } = await watched(desk, "coder");
    desk.ends(coder);
    await desk.done(desk.use.ls({}));
    await desk.advance(3_000);
    expect(seen.at(-1)).toMatchObject({ readiness: "exited" });
    const again = desk.agent("coder", { registry: { programSessionId: "one" } });
    await desk.done(desk.use.ls({}));
    await desk.advance(5_000);
    expect(seen.at(-1)).toMatchObject({ readiness: "idle" });
    again.program.becomes({ busy: true });
    await desk.advance(500);
    expect(seen.at(-1)).toMatchObject({ readiness: "busy" });
  });

  it("is told of no more once nobody looks, or once it is gone", async () => {
    const desk = await openDesk();
    await desk.ready();
    for (const name of ["reader", "writer"]) await desk.done(desk.use.agent_add({ name }));
    const closed = await watched(desk, "reader");
    closed.close();
    const removed = await watched(desk, "writer");
    await desk.send("reader", "hello");
    await desk.done(desk.use.agent_remove({ name: "writer" }));
    await desk.advance(5_000);
    expect(closed.seen).toHaveLength(1);
    expect(removed.over).toMatchObject([{ code: expect.stringMatching(/unknown/) }]);
  });

  it("must be there", async () => {
    const desk = await openDesk();
    await desk.ready();
    await expect(watched(desk, "nobody")).rejects.toMatchObject({ code: "recipient.unknown" });
  });
});
