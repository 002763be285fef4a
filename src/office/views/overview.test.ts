import { expect, it } from "vitest";
import { openDesk } from "../../../tests/desk/desk.ts";
import type { Overview } from "../../wire/shapes/attention.ts";

it("shows everybody at once, then each change of anybody, and nothing for nothing", async () => {
  const desk = await openDesk();
  const coder = desk.agent("coder");
  await desk.ready();
  const seen: Overview[] = [];
  const following = await desk.done(
    desk.office.streams.follow(
      {},
      {
        hear: (followed) => {
          if ("overview" in followed) seen.push(followed.overview);
        },
        over: () => {},
      },
      { user: "dev" },
    ),
  );
  await desk.advance(20_000);
  expect(seen).toMatchObject([{ sessions: [{ agent: "coder", readiness: "idle" }], wants: {}, mail: 0 }]);
  coder.program.becomes({ dialog: "Allow touch a?" });
  await desk.advance(2_000);
  expect(seen.slice(1)).toMatchObject([
    { sessions: [{ readiness: "blocked", asks: { text: "Allow touch a?" } }], wants: { permission: 1 } },
  ]);
  await desk.send("coder", "hello");
  await desk.advance(2_000);
  expect(seen.at(-1)).toMatchObject({ sessions: [{ queued: 1, hold: { reason: "blocked" } }] });
  desk.agent("tester");
  await desk.done(desk.use.ls({}));
  await desk.advance(4_000);
  expect(seen.at(-1)).toMatchObject({ sessions: [{ agent: "coder" }, { agent: "tester" }] });
  desk.ends(coder);
  await desk.done(desk.use.ls({}));
  await desk.advance(1_000);
  expect(seen.at(-1)).toMatchObject({ sessions: [{ agent: "tester" }], wants: {} });
  const before = seen.length;
  following.close();
  await desk.send("tester", "hello");
  await desk.advance(10_000);
  expect(seen).toHaveLength(before);
});
