/** Which file measures which group. */
import type { Group } from "./options.ts";
import { DaemonStage } from "./rig/daemon-stage.ts";
import type { Extent, Row } from "./row.ts";
import { acceptRows } from "./rows/accept.ts";
import { boardRows } from "./rows/board.ts";
import { commandStartRows } from "./rows/command-start.ts";
import { endToEndRows } from "./rows/end-to-end.ts";
import { hostedRows } from "./rows/hosted.ts";
import { hostsRows } from "./rows/hosts.ts";
import { injectionRows } from "./rows/injection.ts";
import { listenersRows } from "./rows/listeners.ts";
import { matchingRows } from "./rows/matching.ts";
import { memoryRows } from "./rows/memory.ts";
import { pageRows } from "./rows/page.ts";
import { panesRows } from "./rows/panes.ts";
import { pastRows } from "./rows/past.ts";
import { officialPublishRows, publishRows } from "./rows/publish.ts";
import { screenRows } from "./rows/screens.ts";
import { startRows } from "./rows/start.ts";
import { stepRows } from "./rows/steps.ts";
import { trafficRows } from "./rows/traffic.ts";

const SESSIONS: Record<Extent, number> = { smoke: 2, quick: 20, full: 20 };

/** Shares one daemon among the groups that need one, from the first of them. */
export class Groups {
  readonly #extent: Extent;
  #daemon: Promise<DaemonStage> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(extent: Extent) {
    this.#extent = extent;
  }

  measure(group: Group): Promise<readonly Row[]> {
    const measure = MEASURES[group];
    return "alone" in measure ? measure.alone(this.#extent) : this.#inTurn(measure.withDaemon);
  }

  /** One after another, whatever else runs. */
  #inTurn(measure: WithDaemon): Promise<readonly Row[]> {
    const rows = this.#last.then(async () => {
      this.#daemon ??= DaemonStage.open(SESSIONS[this.#extent]);
      return measure(this.#extent, await this.#daemon);
    });
    this.#last = rows.catch(() => {});
    return rows;
  }

  async close(): Promise<void> {
    await (await this.#daemon)?.close();
  }
}

type WithDaemon = (extent: Extent, stage: DaemonStage) => Promise<readonly Row[]>;
type Measure =
  | { readonly alone: (extent: Extent) => Promise<readonly Row[]> }
  | { readonly withDaemon: WithDaemon };

const MEASURES: Readonly<Record<Group, Measure>> = {
  injection: { alone: injectionRows },
  memory: { withDaemon: memoryRows },
  "end-to-end": { withDaemon: endToEndRows },
  "command-start": { withDaemon: commandStartRows },
  hosted: { withDaemon: hostedRows },
  steps: { alone: stepRows },
  accept: { alone: acceptRows },
  matching: { alone: matchingRows },
  panes: { alone: panesRows },
  past: { alone: pastRows },
  listeners: { alone: listenersRows },
  board: { alone: boardRows },
  page: { alone: pageRows },
  screens: { alone: screenRows },
  traffic: { alone: trafficRows },
  publish: { alone: publishRows },
  "publish-official": { alone: officialPublishRows },
  hosts: { alone: hostsRows },
  start: { alone: startRows },
};
