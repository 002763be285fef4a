/**
 * The cluster, if this host is in one: opened and closed by the daemon, as the configuration says. What concerns other
 * hosts is asked here, whether one is open or not. Without a cluster nothing of it is loaded.
 */
import type { AdmittedHost } from "../../core/cluster/admission.ts";
import type { HostName } from "../../core/cluster/hosts.ts";
import type { Address, Delivery, DeliveryId } from "../../core/message.ts";
import type { ClusterEngine, Sealer } from "../../ports/cluster-engine.ts";
import type { StoreWriter } from "../../ports/store.ts";
import type { ClusterReport, ShownHost } from "../../wire/shapes/cluster.ts";
import type { AcceptRoom } from "../accept/room.ts";
import type { Touches } from "../base/touches.ts";
import type { Ground } from "../presence/ground.ts";
import type { TimeRoom } from "../time/room.ts";
import { Holding } from "./holding.ts";
import type { NewHome } from "./moving/moving-in.ts";
import type { KnownHosts } from "./neighbours.ts";
import type { OpenCluster } from "./open-cluster.ts";
import type { Pinged } from "./pinging.ts";
import { askAllBack, askBack } from "./withdrawing.ts";

/** What the daemon hands over. */
export interface ClusterAdapters {
  readonly host: HostName;
  admitted(): readonly AdmittedHost[];
  readonly engine: ClusterEngine;
  readonly sealer: Sealer;
}

export type ClusterRoom = ReturnType<typeof clusterRoom>;

export function clusterRoom(
  ground: Ground,
  { accept }: AcceptRoom,
  touches: Touches,
  home: NewHome,
  { timekeeper }: TimeRoom,
) {
  return { cluster: new Cluster({ ...ground, accept, touches, home, timekeeper }) };
}

interface ClusterParts extends Ground, Pick<AcceptRoom, "accept">, Pick<TimeRoom, "timekeeper"> {
  readonly touches: Touches;
  readonly home: NewHome;
}

export class Cluster {
  readonly #parts: ClusterParts;
  readonly #holding: Holding;
  #open: { readonly cluster: OpenCluster; readonly hosts: KnownHosts } | undefined;

  constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.#holding = new Holding(parts, () => this.#open !== undefined);
  }

  get current(): OpenCluster | undefined {
    return this.#open?.cluster;
  }

  /** The office must be open: what comes in may be delivered at once. */
  async open(adapters: ClusterAdapters): Promise<void> {
    await this.close();
    const [{ OpenCluster }, { KnownHosts }] = await Promise.all([
      import("./open-cluster.ts"),
      import("./neighbours.ts"),
    ]);
    const { engine } = adapters;
    const parts = { ...this.#parts, ...adapters };
    const hosts = new KnownHosts({
      ...parts,
      announce: (bytes) => engine.announce(bytes),
      isConnected: () => engine.standing().state === "up",
    });
    const cluster = new OpenCluster({ ...parts, hosts });
    this.#open = { cluster, hosts };
    this.#parts.neighbours.set(hosts);
    cluster.start();
    this.#parts.home.goOn();
  }

  /** Names stay known, as they were last heard: what is sent meanwhile waits until it is open again. */
  async close(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    this.#holding.reopens();
    await open.cluster.stop();
  }

  /** This host is in no cluster any more: it knows no others. */
  async leave(): Promise<void> {
    this.#parts.neighbours.set(undefined);
    await this.close();
  }

  /** None is open: what waits for other hosts says why. */
  async await(release: string): Promise<void> {
    await this.#holding.await(release);
  }

  wake(mailbox: Address): void {
    if (this.current === undefined) this.#holding.came();
    else this.current.wake(mailbox);
  }

  reconsider(): void {
    this.current?.reconsider();
  }

  /** Asks the other host to give it back; what became of it is told later. Also while no cluster is open. */
  async withdraw(delivery: Delivery, because: string): Promise<Delivery> {
    const { context } = this.#parts;
    const asked = await context.store.write((tx) => this.#askBack(tx, delivery.id, because));
    this.#askedBack([asked]);
    return asked;
  }

  /** The same with all that is away from these mailboxes. */
  async withdrawAll(mailboxes: readonly Address[], because: string): Promise<readonly Delivery[]> {
    const { context } = this.#parts;
    const asked = await context.store.write((tx) =>
      askAllBack(tx, mailboxes, (id) => this.#askBack(tx, id, because)),
    );
    this.#askedBack(asked);
    return asked;
  }

  #askBack(tx: StoreWriter, id: DeliveryId, because: string): Delivery {
    const { context, neighbours } = this.#parts;
    const isExpelled = (host: HostName) => neighbours.current?.isAdmitted(host) !== true;
    const obstacle = (host: HostName) => neighbours.current?.obstacle(host);
    return askBack(tx, id, because, { now: context.clock.now(), isExpelled, obstacle });
  }

  #askedBack(asked: readonly Delivery[]): void {
    if (asked.length > 0) this.#parts.states.changed(asked.map(({ messageId }) => messageId));
    for (const mailbox of new Set(asked.map(({ to }) => to))) this.wake(mailbox);
  }

  /** Undefined while no cluster is open. */
  report(): ClusterReport | undefined {
    return this.current?.report();
  }

  /** Whether this host answers, and how fast. */
  async ping(host: HostName): Promise<Pinged | undefined> {
    return this.current?.ping(host);
  }

  hosts(): readonly ShownHost[] | undefined {
    return this.current?.list();
  }
}
