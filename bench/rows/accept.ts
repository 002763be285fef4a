/** Durable accept: `accept` with the real store, against the minimum that a disk can do. */
import { closeSync, fdatasyncSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Accept } from "../../src/office/accept/accept.ts";
import { Filing } from "../../src/office/accept/filing.ts";
import type { OfficeContext } from "../../src/office/base/context.ts";
import { StateWatch } from "../../src/office/base/state-watch.ts";
import { brokerRoom } from "../../src/office/broker/room.ts";
import { Directory } from "../../src/office/presence/directory.ts";
import { Neighbours } from "../../src/office/presence/neighbourhood.ts";
import { processesOn } from "../../src/processes/processes.ts";
import { transcripts } from "../../src/programs/transcripts/transcripts.ts";
import { bodyFilesIn } from "../../src/store/body-files.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { randomIds, sha256 } from "../../src/system/ids.ts";
import { AS_SHIPPED } from "../../tests/desk/settings.ts";
import { BareRows } from "../rig/bare-rows.ts";
import { type Arm, duels, sizesFor, timed } from "../rounds.ts";
import { atLeast, atMost, type Extent, type Row } from "../row.ts";

const group = "accept";
const BODY = "x".repeat(188);
const AGENT = "reader";
const SENDER = "person/bench";
const IN_FLIGHT = 100;
const BLOCK_BYTES = 4_096;
const FILE_BYTES = 4 * 1024 * 1024;

export async function acceptRows(extent: Extent): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "bellhop-bench-"));
  const disk = new RawDisk(join(folder, "raw"));
  const office = await SmallOffice.open(folder);
  const rows = await BareRows.open(join(folder, "bare.db"));
  try {
    const single = await duels(
      [
        {
          group,
          name: "durable accept, one at a time",
          ours: office.answered,
          peer: disk.overwrite,
          unit: "µs",
          goal: atMost(1.6),
        },
        {
          group,
          name: "the same, to the floor",
          ours: office.answered,
          peer: { what: "the same two rows, committed", sample: () => rows.write(BODY) },
          unit: "µs",
          goal: atMost(1.5),
        },
        { group, name: "  until its file stands too", ours: office.filed, peer: disk.overwrite, unit: "µs" },
      ],
      sizesFor(extent, {
        // As with publish: a daemon runs for days.
        quick: { rounds: 25, samplesPerRound: 20, warmUp: 150 },
        full: { rounds: 50, samplesPerRound: 30, warmUp: 150 },
      }),
    );
    const together = await duels(
      [
        {
          group,
          name: `durable accept, ${IN_FLIGHT} in flight`,
          ours: office.together,
          peer: office.oneByOne,
          unit: "/s",
          goal: atLeast(6),
        },
      ],
      sizesFor(extent, {
        quick: { rounds: 15, samplesPerRound: 3, warmUp: 5 },
        full: { rounds: 30, samplesPerRound: 3, warmUp: 10 },
      }),
    );
    return [...single, ...together];
  } finally {
    await office.close();
    rows.close();
    disk.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Overwrites one existing block, then syncs as a commit does. */
class RawDisk {
  readonly overwrite: Arm = { what: "overwrite of 4 KiB + fdatasync", sample: () => this.#sample() };
  readonly #file: number;
  readonly #block = Buffer.alloc(BLOCK_BYTES, 7);
  #at = 0;

  constructor(path: string) {
    this.#file = openSync(path, "w+");
    writeSync(this.#file, Buffer.alloc(FILE_BYTES, 1));
    fsyncSync(this.#file);
  }

  #sample(): number {
    const start = performance.now();
    writeSync(this.#file, this.#block, 0, BLOCK_BYTES, this.#at);
    fdatasyncSync(this.#file);
    const took = performance.now() - start;
    this.#at = (this.#at + BLOCK_BYTES) % FILE_BYTES;
    return took * 1_000;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** The part of the daemon that an accept goes through. */
class SmallOffice {
  readonly answered: Arm = { what: "accept", sample: () => this.#answered() };
  readonly filed: Arm = { what: "accept and its file", sample: () => this.#filed() };
  readonly oneByOne: Arm = { what: "one per transaction", sample: () => this.#oneByOne() };
  readonly together: Arm = { what: `${IN_FLIGHT} in flight`, sample: () => this.#together() };
  readonly #context: OfficeContext;
  readonly #accept: Accept;
  readonly #filing: Filing;

  private constructor(context: OfficeContext) {
    this.#context = context;
    const directory = new Directory(context.store);
    this.#filing = new Filing(context, directory);
    const ground = { context, directory, states: new StateWatch(), neighbours: new Neighbours() };
    this.#accept = new Accept({
      ...ground,
      ...brokerRoom(ground, { released: () => {}, changed: () => {} }),
      filing: this.#filing,
      told: {
        came: () => {},
        looped: () => {},
        expect: () => {},
        wake: () => {},
        answered: () => {},
        outletFor: () => undefined,
        takesTurns: () => false,
        expires: () => {},
        deadlineIn: (delayMs) => Date.now() + delayMs,
      },
    });
  }

  static async open(folder: string): Promise<SmallOffice> {
    const store = await openStore({ path: join(folder, "bellhop.db") });
    await store.write((tx) =>
      tx.putAgent({ name: AGENT, createdAt: 1, origin: "added", chosen: true, paused: false }),
    );
    const silent = () => {};
    const context: OfficeContext = {
      store,
      clock: systemClock,
      ids: randomIds,
      digest: sha256,
      log: { info: silent, warn: silent, error: silent },
      files: bodyFilesIn(join(folder, "messages")),
      checkpoint: silent,
      processes: processesOn(process.platform),
      transcripts: transcripts([]),
      inboxes: {},
      hookSign: { wanted: () => {} },
      owner: SENDER,
      settings: () => AS_SHIPPED,
    };
    return new SmallOffice(context);
  }

  async #one(): Promise<void> {
    await this.#accept.accept({
      to: `agent/${AGENT}`,
      sender: { address: SENDER, source: "person" },
      body: BODY,
      form: { kind: "text" },
      priority: "normal",
    });
  }

  async #answered(): Promise<number> {
    const took = await timed(() => this.#one());
    await this.#filing.settled();
    return took * 1_000;
  }

  async #filed(): Promise<number> {
    return (
      1_000 *
      (await timed(async () => {
        await this.#one();
        await this.#filing.settled();
      }))
    );
  }

  /** In both, the files are written later, as when many messages come at once. */
  async #oneByOne(): Promise<number> {
    let ms = 0;
    for (let count = 0; count < IN_FLIGHT; count += 1) {
      ms += await timed(() => this.#one());
      await this.#filing.settled();
    }
    return (IN_FLIGHT * 1_000) / ms;
  }

  async #together(): Promise<number> {
    const ms = await timed(() => Promise.all(Array.from({ length: IN_FLIGHT }, () => this.#one())));
    await this.#filing.settled();
    return (IN_FLIGHT * 1_000) / ms;
  }

  async close(): Promise<void> {
    await this.#filing.settled();
    await this.#context.store.close();
  }
}
