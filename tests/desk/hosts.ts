/** Hosts of a desk: a started program becomes an agent of the desk, and is found by its environment. */
import type { HostFacts, HostOrder, Hosts, WindowOrder } from "../../src/ports/hosts.ts";
import type { DeskAgent } from "./agent.ts";
import type { Desk } from "./desk.ts";
import type { DeskProgram } from "./profiles.ts";

export class DeskHosts implements Hosts {
  readonly #desk: Desk;
  readonly #running = new Map<string, DeskAgent>();
  readonly orders: HostOrder[] = [];
  readonly windows: WindowOrder[] = [];
  readonly forgotten: string[] = [];
  readonly ended = new Map<string, HostFacts>();
  program: DeskProgram = "plain";
  /** The next start fails with this. */
  refuses: Error | undefined;
  checks: Error | undefined;
  /** The first request after a start fails with this. */
  failsOnce: Error | undefined;
  obeys: "at-once" | "never" = "at-once";

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  agent(sessionId: string): DeskAgent {
    const agent = this.#running.get(sessionId);
    if (agent === undefined) throw new Error(`nothing was started for ${sessionId}`);
    return agent;
  }

  async check(): Promise<void> {
    if (this.checks !== undefined) throw this.checks;
  }

  async start(order: HostOrder): Promise<void> {
    if (this.refuses !== undefined) throw this.refuses;
    this.orders.push(order);
    const folder = order.folder.split("/").at(-1) ?? "";
    const { environment } = order;
    this.#running.set(order.sessionId, this.#desk.agent(folder, { program: this.program, environment }));
    this.ended.delete(order.sessionId);
  }

  async facts(id: string): Promise<HostFacts | undefined> {
    const failure = this.failsOnce;
    this.failsOnce = undefined;
    if (failure !== undefined) throw failure;
    return this.ended.get(id) ?? (this.#running.has(id) ? { state: "running" } : undefined);
  }

  async grant(id: string) {
    return this.#running.has(id) ? { socket: `/run/${id}.pty`, token: "secret" } : undefined;
  }

  async stop(id: string): Promise<"stopped" | "running" | "absent"> {
    const agent = this.#running.get(id);
    if (agent === undefined) return "absent";
    if (this.obeys === "never") return "running";
    this.#running.delete(id);
    this.#desk.ends(agent);
    const exit = { code: 0, signal: null, at: this.#desk.clock.now() };
    this.ended.set(id, { state: "exited", exit, lastScreen: "goodbye" });
    return "stopped";
  }

  async openWindow(order: WindowOrder) {
    this.windows.push(order);
    const folder = order.folder.split("/").at(-1) ?? "";
    const { environment } = order;
    this.#running.set(order.sessionId, this.#desk.agent(folder, { program: this.program, environment }));
    return { server: "/desk.sock", pane: "%99" };
  }

  async stopWindow({ sessionId }: Pick<WindowOrder, "sessionId">) {
    const outcome = await this.stop(sessionId);
    this.ended.delete(sessionId);
    return outcome;
  }

  async forget(id: string): Promise<void> {
    this.forgotten.push(id);
  }
}
