/**
 * Several machines on one switch, each a network namespace of its own below that of the suite: what runs on one reaches
 * the others only through the switch, which a test can cut. Nothing of it is seen outside, and all of it ends with `end`.
 */
import { type ChildProcess, execFile, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Nobody has it: what is sent there is lost without a word, as on a cable that is cut in one direction. */
const NOBODY = "02:00:00:00:00:ff";
const SUBNET = "10.77.0";

export class Machine {
  readonly name: string;
  readonly address: string;
  readonly #holder: ChildProcess;
  readonly #hardware: string;
  readonly #children = new Set<ChildProcess>();

  constructor(name: string, number: number, holder: ChildProcess) {
    this.name = name;
    this.address = `${SUBNET}.${number}`;
    this.#hardware = `02:00:00:00:00:${number.toString(16).padStart(2, "0")}`;
    this.#holder = holder;
  }

  get hardware(): string {
    return this.#hardware;
  }

  /** How a command is started on this machine. */
  enter(command: string, args: readonly string[]): readonly [string, readonly string[]] {
    return ["nsenter", ["--target", String(this.#holder.pid), "--net", "--", command, ...args]];
  }

  spawn(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    const [entered, all] = this.enter(command, args);
    const child = spawn(entered, all, options);
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    return child;
  }

  async run(command: string, args: readonly string[]): Promise<string> {
    const [entered, all] = this.enter(command, args);
    return (await run(entered, all)).stdout;
  }

  /** What this machine sends to the other is lost; the other way still works. */
  async losesWaysTo(other: Machine): Promise<void> {
    await this.#neighbour(other, NOBODY);
  }

  async findsWaysTo(other: Machine): Promise<void> {
    await this.#neighbour(other, other.hardware);
  }

  async #neighbour(other: Machine, hardware: string): Promise<void> {
    await this.run("ip", [
      ...["neigh", "replace", other.address, "lladdr", hardware],
      ...["dev", "eth0", "nud", "permanent"],
    ]);
  }

  async end(): Promise<void> {
    await Promise.all([...this.#children, this.#holder].map(killed));
  }
}

export class Machines {
  readonly #switch: ChildProcess;
  readonly #machines: readonly Machine[];

  private constructor(theSwitch: ChildProcess, machines: readonly Machine[]) {
    this.#switch = theSwitch;
    this.#machines = machines;
  }

  static async start(names: readonly string[]): Promise<Machines> {
    const theSwitch = await namespace();
    const holders = await Promise.all(names.map(() => namespace()));
    const machines = names.map((name, at) => new Machine(name, at + 1, holders[at] as ChildProcess));
    const all = new Machines(theSwitch, machines);
    try {
      await all.#connect(holders);
    } catch (cause) {
      await all.end();
      throw cause;
    }
    return all;
  }

  machine(name: string): Machine {
    const found = this.#machines.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no machine "${name}"`);
    return found;
  }

  /** Both ways, to and from everyone. */
  async unplug(machine: Machine): Promise<void> {
    await this.#onSwitch(["link", "set", portOf(machine), "down"]);
  }

  async plugIn(machine: Machine): Promise<void> {
    await this.#onSwitch(["link", "set", portOf(machine), "up"]);
  }

  /** Between these two, in both directions; both still reach the others. */
  async cut(one: Machine, other: Machine): Promise<void> {
    await Promise.all([one.losesWaysTo(other), other.losesWaysTo(one)]);
  }

  async mend(one: Machine, other: Machine): Promise<void> {
    await Promise.all([one.findsWaysTo(other), other.findsWaysTo(one)]);
  }

  async mendAll(): Promise<void> {
    for (const machine of this.#machines) {
      await this.plugIn(machine);
      for (const other of this.#machines) if (other !== machine) await machine.findsWaysTo(other);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#machines.map((machine) => machine.end()));
    await killed(this.#switch);
  }

  async #connect(holders: readonly ChildProcess[]): Promise<void> {
    await this.#onSwitch(["link", "add", "switch", "type", "bridge"]);
    await this.#onSwitch(["link", "set", "switch", "up"]);
    for (const [at, machine] of this.#machines.entries()) {
      const port = portOf(machine);
      await this.#onSwitch([
        ...["link", "add", port, "type", "veth", "peer", "name", "eth0"],
        ...["address", machine.hardware, "netns", String(holders[at]?.pid)],
      ]);
      await this.#onSwitch(["link", "set", port, "master", "switch"]);
      await this.#onSwitch(["link", "set", port, "up"]);
      await machine.run("ip", ["link", "set", "lo", "up"]);
      await machine.run("ip", ["address", "add", `${machine.address}/24`, "dev", "eth0"]);
      await machine.run("ip", ["link", "set", "eth0", "up"]);
    }
    await this.mendAll();
  }

  async #onSwitch(args: readonly string[]): Promise<void> {
    await run("nsenter", ["--target", String(this.#switch.pid), "--net", "--", "ip", ...args]);
  }
}

function portOf({ address }: Machine): string {
  return `port${address.split(".").at(-1)}`;
}

/** A process that does nothing but keep its network namespace. */
async function namespace(): Promise<ChildProcess> {
  const holder = spawn("unshare", ["--net", "--", "sh", "-c", "echo there; exec sleep infinity"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout as NodeJS.ReadableStream, "data");
  return holder;
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
