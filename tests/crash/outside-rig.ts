import type { Client } from "../../src/client/connect.ts";
import type { Step } from "../../src/office/base/steps.ts";
import type { Channel, SpeakingChannel } from "../contract/bridges/channels.ts";
import { OutsideStage, outsideParts } from "../contract/bridges/outside-stage.ts";
import { until } from "../rig/scripted-agent.ts";
import { death } from "./crash-rig.ts";

export const REPEAT = "(perhaps a repeat) ";

/** As on stage, but the daemon may die at any step. */
export class OutsideScene<Kind extends Channel = Channel> extends OutsideStage<Kind> {
  /** A daemon has run, so that what comes from now on is new. */
  static override async open<Kind extends Channel>(
    channel: Kind,
    names: readonly string[] = ["coder"],
  ): Promise<OutsideScene<Kind>> {
    const config = `delivery: { input_poll_interval: 0.3, input_stale_timeout: 1, evidence_timeout: 3 }
desk: { classifier: { enabled: false } }`;
    const scene = new OutsideScene(await outsideParts(channel, names, config));
    const client = await scene.start();
    // Otherwise the person is also told of turns that have ended.
    await client.call("away", { mode: "off" });
    return scene;
  }

  /** The daemon dies at this visit of the step, which somebody provokes; then another one runs. */
  async dieAt(
    [step, visit]: readonly [step: Step, visit: number],
    provoke: (client: Client) => Promise<unknown>,
    whileDown: () => Promise<unknown> = async () => {},
  ): Promise<Client> {
    await this.bellhop.stop();
    const client = await this.start({ BELLHOP_TEST_CRASH_AT: `${step}#${visit}` });
    const doomed = this.daemon;
    const provoked = provoke(client).catch(() => undefined);
    if (doomed !== undefined) await death(doomed, `the daemon never came by ${step}`);
    await this.bellhop.stop();
    await whileDown();
    const next = await this.start();
    await provoked;
    return next;
  }
}

/** What the person was told since, once it has these words. */
export async function hears(
  { heard }: SpeakingChannel,
  words: RegExp,
  since: number,
): Promise<readonly string[]> {
  let told: readonly string[] = [];
  await until(
    async () => {
      told = (await heard()).slice(since);
      return told.some((text) => words.test(text));
    },
    () => `${words} in ${JSON.stringify(told)}`,
  );
  return told;
}

/** Everything that was to be said before this has been said. */
export async function allSaid(channel: SpeakingChannel, name: string, since: number) {
  await channel.says(`[nobody-${name}] hello`);
  const told = await hears(channel, new RegExp(`^✗ Nobody is called "nobody-${name}"`, "u"), since);
  return told.filter((text) => !text.startsWith("✗ Nobody is called"));
}
