/** A host that listens to the engine, and how one waits for what it hears. */
import type { HostName } from "../../src/core/cluster/hosts.ts";
import type {
  ArrivedBag,
  ClusterEngine,
  EngineEars,
  EngineStanding,
} from "../../src/ports/cluster-engine.ts";
import { until } from "../rig/scripted-agent.ts";

const PATIENCE_MS = 180_000;

export const bytes = (text: string): Uint8Array => Buffer.from(text);
export const text = (given: Uint8Array): string => Buffer.from(given).toString();

/** A host that writes down what it hears. */
export class Listening implements EngineEars {
  readonly taken: string[] = [];
  readonly bags: ArrivedBag[] = [];
  readonly standings: EngineStanding[] = [];
  readonly heard: { readonly host: HostName; readonly said: string | undefined }[] = [];
  /** How often the next bags are refused. */
  refusals = 0;
  /** Bags wait here until they are let through. */
  gate: Promise<void> = Promise.resolve();
  #atOnce = 0;
  mostAtOnce = 0;

  async bag(bag: ArrivedBag): Promise<void> {
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    try {
      this.bags.push(bag);
      await this.gate;
      if (this.refusals > 0) {
        this.refusals -= 1;
        throw new Error("the disk is full");
      }
      this.taken.push(text(bag.bytes));
    } finally {
      this.#atOnce -= 1;
    }
  }

  announced(host: HostName, said: Uint8Array | undefined): void {
    this.heard.push({ host, said: said && text(said) });
  }

  standing(standing: EngineStanding): void {
    this.standings.push(standing);
  }

  /** What it last heard of that host. */
  of(host: HostName): string | undefined {
    return this.heard.findLast((one) => one.host === host)?.said;
  }

  async has(count: number): Promise<void> {
    const what = (): string => `${count} bags; there are ${this.taken.join(", ")}`;
    await until(() => this.taken.length >= count, what, PATIENCE_MS);
  }

  async hears(host: HostName, said: string | undefined): Promise<void> {
    const isHeard = (): boolean => this.heard.some((one) => one.host === host) && this.of(host) === said;
    await until(isHeard, `${host} to say ${said}`, PATIENCE_MS);
  }
}

export async function isUp(engine: ClusterEngine): Promise<void> {
  const what = (): string => `the engine to be up: ${JSON.stringify(engine.standing())}`;
  await until(() => engine.standing().state === "up", what, PATIENCE_MS);
}

export async function isDown(engine: ClusterEngine): Promise<string> {
  await until(() => engine.standing().state === "down", "the engine to be down", PATIENCE_MS);
  const standing = engine.standing();
  return standing.state === "down" ? standing.reason : "";
}
