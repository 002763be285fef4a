import { describe, expect, it } from "vitest";
import { openHosts } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;

/** `lapone` on lap, `only` on ws. */
async function lapAndWs() {
  const { cluster, desks } = await openHosts("lap", "ws");
  const [lap, ws] = desks;
  lap.agent("lapone");
  ws.agent("only");
  await cluster.ready();
  return { cluster, lap, ws };
}

describe("a word for somebody on another host", () => {
  it("is said to be near the name that somebody there has", async () => {
    const { lap } = await lapAndWs();
    await expect(lap.send("onlyy", "x")).rejects.toMatchObject({
      code: "recipient.unknown",
      next: expect.stringMatching(
        /^Did you mean "only"\? See who is there with "bellhop ls --all-hosts --all";/u,
      ),
    });
    expect(await lap.send("agent/onlyy", "x")).toMatchObject({ unmatched: true, meant: "agent/only" });
  });

  it("is tried as it is sent", async () => {
    const { lap } = await lapAndWs();
    for (const path of ["only", "Only", "ws:only", "WS:Only", "ws:agent/only", "agent/only"]) {
      const sent = (await lap.send(path, "x")).deliveries.map(({ recipient }) => recipient);
      expect(sent).toEqual(["agent/only@ws"]);
      const { recipients } = await lap.done(lap.use.route_try({ path, claims }));
      expect(recipients.map(({ recipient }) => recipient)).toEqual(sent);
    }
    const { recipients } = await lap.done(lap.use.route_try({ path: "lapone", claims }));
    expect(recipients).toMatchObject([{ to: "agent/lapone" }]);
    expect((await lap.done(lap.use.route_try({ path: "nobody", claims }))).recipients).toEqual([]);
    await expect(lap.done(lap.use.route_try({ path: "moon:x", claims }))).rejects.toMatchObject({
      code: "host.unknown",
    });
  });
});

it.each([
  "agent/only@ws",
  "ws:only",
  "WS:agent/only",
  "agent/*@ws",
  "session/0a0b0c0d@moon",
  "person/ada@ws",
])("nobody subscribes to %s: it is heard on its own host", async (pattern) => {
  const { lap } = await lapAndWs();
  await expect(lap.done(lap.use.sub_add({ agent: "lapone", pattern, claims }))).rejects.toMatchObject({
    code: "recipient.elsewhere",
    message: expect.stringMatching(/ is an address on (?:ws|moon), and is heard only there\.$/u),
    next: expect.stringContaining("bellhop sub add"),
  });
});

it("an address with this host is subscribed to as one without", async () => {
  const { lap } = await lapAndWs();
  await lap.done(lap.use.agent_add({ name: "other" }));
  const { subscriptions } = await lap.done(
    lap.use.sub_add({ agent: "other", pattern: "agent/lapone@lap", claims }),
  );
  expect(subscriptions).toMatchObject([{ pattern: "agent/lapone" }]);
});
