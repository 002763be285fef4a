/** In a hosted terminal whose program is a shell, the agent that was started from it is suspended. */
import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Screen } from "../../src/core/readiness/screen.ts";
import { systemClock } from "../../src/system/clock.ts";
import { HostLink } from "../../src/terminals/pty/host-link.ts";
import { Bellhop } from "../rig/bellhop.ts";
import type { HostViewer } from "../rig/host-viewer.ts";
import { hostOf, runDetached } from "../rig/hosted-agent.ts";
import { SCRIPTED_PROFILE } from "../rig/scripted-agent.ts";
import { SCENES, type Scene, SHELLS, type ShellTerminal, SuspendDesk } from "./suspend-desk.ts";
import { SuspendRaces } from "./suspend-race.ts";

const TRIALS = 1;
const TOGETHER = 8;
/** What a person types holds messages for two seconds. */
const QUIET_MS = 2_050;
const SIZE = { cols: 100, rows: 24 };

let bellhop: Bellhop;
let races: SuspendRaces;
const viewers: HostViewer[] = [];
const links: HostLink[] = [];

async function openHosted({ name, shell }: Scene): Promise<ShellTerminal> {
  const pane = await runDetached(bellhop, name, SHELLS[shell].command);
  const host = hostOf(bellhop, pane);
  const viewer = await host.attach(SIZE);
  viewers.push(viewer);
  const link = new HostLink(host.record(), systemClock);
  links.push(link);
  const look = async (): Promise<Screen> => {
    const answer = await link.ask({ type: "read", packed: true });
    if (typeof answer === "string" || answer.type !== "screen") throw new Error(`${name} cannot be read`);
    return answer.screen;
  };
  return {
    pane,
    press: async (keys) => viewer.press(keys),
    screen: async () => (await look()).lines.map(({ text }) => text).join("\n"),
    inFront: async () => basename((await look()).command),
    // Like a daemon of an earlier release, which does not say which agent must be in front.
    uncheckedGate: async () => async (text) => {
      const { command, alternate, cursor } = await look();
      const panePid = host.record().programPid;
      const answer = await link.ask({
        type: "gate",
        expectation: { panePid, command, alternate, cursor },
        strokes: [{ kind: "paste", text, bracketed: false }],
      });
      return typeof answer !== "string" && answer.type === "gate" && answer.outcome.kind === "sent";
    },
  };
}

beforeAll(async () => {
  bellhop = new Bellhop({
    config: `${SCRIPTED_PROFILE}\ndelivery: { evidence_timeout: 3 }\n`,
    env: { HISTFILE: "/dev/null" },
  });
  bellhop.env.HOME = bellhop.home;
  await bellhop.start();
  const desks = await Promise.all(
    SCENES.map(async (scene) => new SuspendDesk(scene, await openHosted(scene), bellhop.home)),
  );
  await Promise.all(desks.map((desk) => desk.open()));
  const options = { folder: bellhop.home, quietMs: QUIET_MS, together: TOGETHER };
  races = new SuspendRaces(desks, await bellhop.client(), options);
});

afterAll(async () => {
  for (const link of links) link.close();
  for (const viewer of viewers) viewer.close();
  await bellhop.dispose();
});

describe("a hosted agent that is suspended around the moment of a delivery", () => {
  it("has nothing typed into what is in front of it, under any shell, and gets its message once", async () => {
    const outcomes = await races.run(TRIALS);
    expect(outcomes.get("queued") ?? 0, "suspended in time, at least once").toBeGreaterThan(0);
    expect(races.executed).toEqual([]);
  }, 240_000);

  it("would have it typed there by the gate alone, so the check is what keeps it out", async () => {
    expect(await races.runUnchecked()).toEqual(SCENES.map(({ name }) => name).toSorted());
  }, 240_000);
});
