/** Two hosts and a NATS between them, all on this machine: any of them may die at any moment, and is started again. */
import { expect } from "vitest";
import type { Step } from "../../src/office/base/steps.ts";
import type { ShowResponse } from "../../src/wire/shapes/messages.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { joinHosts } from "../rig/join-hosts.ts";
import { Nats } from "../rig/nats.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { claims, death } from "./crash-rig.ts";

const PATIENCE_MS = 180_000;
const CONFIG = `${SCRIPTED_PROFILE}
delivery: { input_poll_interval: 0.3, input_stale_timeout: 1, evidence_timeout: 3 }`;

export type HostName = "a" | "b";
export type Point = readonly [host: HostName, step: Step, visit: number];

interface CrashHost {
  readonly bellhop: Bellhop;
  readonly tmux: TmuxServer;
  readonly agent: ScriptedAgent;
}

/** What both hosts must say of a message, each of its own delivery. */
interface Outcome {
  readonly state: string;
  readonly evidence: string | undefined;
  readonly possibleDuplicate: boolean;
}

/** What else happens when a daemon has died. */
interface Troubles {
  whileDown?(): Promise<unknown>;
  /** The next daemon runs. */
  afterwards?(): Promise<unknown>;
}

/** Alice works on a, Bob on b. */
export class HostsScene {
  readonly nats: Nats;
  readonly #hosts: Readonly<Record<HostName, CrashHost>>;

  private constructor(nats: Nats, hosts: Readonly<Record<HostName, CrashHost>>) {
    this.nats = nats;
    this.#hosts = hosts;
  }

  static async open(): Promise<HostsScene> {
    const nats = await Nats.start();
    const scene = new HostsScene(nats, { a: await seated("alice"), b: await seated("bob") });
    try {
      const hosts = (["a", "b"] as const).map((name) => ({ name, bellhop: scene.bellhop(name) }));
      await Promise.all(hosts.map(({ bellhop }) => bellhop.start()));
      await joinHosts(hosts, nats.urls);
    } catch (cause) {
      await scene.close();
      throw cause;
    }
    return scene;
  }

  bellhop(host: HostName): Bellhop {
    return this.#hosts[host].bellhop;
  }

  prompts(host: HostName): readonly string[] {
    return this.#hosts[host].agent.prompts();
  }

  /** The daemon of this host dies when it comes by, and is started again. */
  async dying(
    [host, step, visit]: Point,
    whatHappens: () => Promise<void>,
    { whileDown, afterwards }: Troubles = {},
  ): Promise<void> {
    const bellhop = this.bellhop(host);
    await bellhop.stop();
    const doomed = await bellhop.start({ BELLHOP_TEST_CRASH_AT: `${step}#${visit}` });
    const startAgain = async (): Promise<void> => {
      await death(doomed, `${host} never came by ${step}`);
      await bellhop.stop();
      await whileDown?.();
      await bellhop.start();
      await afterwards?.();
    };
    await Promise.all([startAgain(), whatHappens()]);
  }

  /** Like a careful client: repeats with the same key until there is an answer. */
  async sends(host: HostName, from: string, to: string, body: string): Promise<string> {
    return this.#repeats(host, `the send of "${body}"`, async (bellhop) => {
      const asked = { to, from, body, idempotencyKey: `${body} to ${to}`, claims };
      return (await bellhop.ask("send", asked)).messageId;
    });
  }

  async replies(host: HostName, from: string, id: string, body: string): Promise<string> {
    return this.#repeats(host, `the reply "${body}"`, async (bellhop) => {
      const asked = { id, from, body, idempotencyKey: `${body} re ${id}`, claims };
      return (await bellhop.ask("reply", asked)).messageId;
    });
  }

  /** Somebody at this host does not want it any more, until the queue knows. */
  async cancels(host: HostName, id: string): Promise<void> {
    const isAsked = ({ deliveries: [delivery] }: ShowResponse): boolean =>
      delivery?.state === "cancelled" || /asked to give it back/u.test(delivery?.hold?.release ?? "");
    await this.#repeats(host, `the cancel of ${id}`, async (bellhop) => {
      if (!isAsked(await bellhop.ask("show", { id })))
        await bellhop.ask("queue_change", { id, change: "cancel" });
      return true;
    });
  }

  async reaches(host: HostName, id: string, ...states: readonly string[]): Promise<ShowResponse> {
    let shown: ShowResponse | undefined;
    const look = async (): Promise<boolean> => {
      shown = await this.bellhop(host)
        .ask("show", { id })
        .catch(() => shown);
      return states.includes(shown?.deliveries[0]?.state ?? "");
    };
    await until(look, () => this.#scene(`${states.join(" or ")} of ${id} on ${host}`, shown), PATIENCE_MS);
    return shown as ShowResponse;
  }

  async seesNoNats(host: HostName): Promise<void> {
    const isDown = async (): Promise<boolean> =>
      (await this.bellhop(host).ask("cluster_status", {})).cluster?.engine.state === "down";
    await until(isDown, () => this.#scene(`${host} to see that NATS is down`, ""), PATIENCE_MS);
  }

  /** Both say the same of it; resolves with that. */
  async agree(id: string, ...states: readonly string[]): Promise<Outcome> {
    let said: readonly (Outcome | undefined)[] = [];
    const look = async (): Promise<boolean> => {
      said = await Promise.all([this.#outcome("a", id), this.#outcome("b", id)]);
      return states.includes(said[0]?.state ?? "") && JSON.stringify(said[0]) === JSON.stringify(said[1]);
    };
    await until(look, () => this.#scene(`both to say ${states.join(" or ")} of ${id}`, said), PATIENCE_MS);
    return said[0] as Outcome;
  }

  /** It was typed once; twice only if both say that this may have happened. */
  async cameOnce(host: HostName, id: string, body: string, ...states: readonly string[]): Promise<void> {
    const { possibleDuplicate } = await this.agree(id, ...states);
    const copies = this.prompts(host).filter((prompt) => prompt.includes(body)).length;
    expect(copies, this.#scene(`copies of "${body}"`, copies)).toBeGreaterThan(0);
    if (!possibleDuplicate) expect(copies, this.#scene(`copies of "${body}"`, copies)).toBe(1);
  }

  async close(): Promise<void> {
    const hosts = Object.values(this.#hosts);
    await Promise.all(hosts.map(({ tmux }) => tmux.kill()));
    await Promise.all(hosts.map(({ bellhop }) => bellhop.dispose()));
    await this.nats.end();
  }

  async #outcome(host: HostName, id: string): Promise<Outcome | undefined> {
    const shown = await this.bellhop(host)
      .ask("show", { id })
      .catch(() => undefined);
    const [delivery] = shown?.deliveries ?? [];
    if (delivery === undefined) return undefined;
    const { state, evidence, possibleDuplicate = false } = delivery;
    return { state, evidence, possibleDuplicate };
  }

  async #repeats<T>(host: HostName, what: string, ask: (bellhop: Bellhop) => Promise<T>): Promise<T> {
    let done: { readonly answer: T } | undefined;
    let failure: unknown;
    const isDone = async (): Promise<boolean> => {
      try {
        done = { answer: await ask(this.bellhop(host)) };
      } catch (cause) {
        failure = cause;
      }
      return done !== undefined;
    };
    await until(isDone, () => this.#scene(what, String(failure)), PATIENCE_MS);
    return (done as { readonly answer: T }).answer;
  }

  #scene(what: string, seen: unknown): string {
    const logs = (["a", "b"] as const).map((host) => `${host}:\n${this.bellhop(host).log().slice(-1_500)}`);
    return [what, JSON.stringify(seen), ...logs].join("\n");
  }
}

async function seated(name: string): Promise<CrashHost> {
  const tmux = startTmuxServer();
  const agent = await startScriptedAgent({ tmux, name });
  const config = `tmux: { servers: ["${tmux.socket}"] }\n${CONFIG}`;
  return { tmux, agent, bellhop: new Bellhop({ config, env: { TMUX_TMPDIR: tmux.folder } }) };
}
