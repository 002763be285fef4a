import { expect, it } from "vitest";
import { withoutDescriptors } from "../../../../tests/without-descriptors.ts";

it("is refused, and ends, where no file descriptor is left for its pipes", async () => {
  const options = `
    const options = {
      program: { path: "tmux", environment: { PATH: process.env.PATH } },
      socket: "/nowhere/tmux", session: "$0", flags: [], nonce: () => "n", attachDeadlineMs: 50,
      clock: { now: Date.now, monotonic: () => performance.now(), after(ms, call) {
        const timer = setTimeout(call, ms);
        return () => clearTimeout(timer);
      } },
      onEvent() {},
    };`;
  const first = `${options}
    const before = new product.ControlConnection(options);
    await before.attached;
    await before.close();`;
  const then = `
    let connection;
    try { connection = new product.ControlConnection(options); } catch {}
    // Long enough for every deadline it has.
    setTimeout(async () => {
      const attached = await connection.attached;
      const asked = await connection.run("list-sessions", 50);
      await connection.close();
      tell({ attached, asked });
    }, 100);`;
  expect(await withoutDescriptors("src/terminals/tmux/control/control.ts", first, then)).toEqual({
    attached: { kind: "refused", cause: expect.stringContaining("EMFILE") },
    asked: { kind: "unsent", cause: "the connection has ended" },
  });
});
