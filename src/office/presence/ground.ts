/** What every room of the office builds on. */
import type { OfficeContext } from "../base/context.ts";
import type { StateWatch } from "../base/state-watch.ts";
import type { Directory } from "./directory.ts";
import type { Neighbours } from "./neighbourhood.ts";

export interface Ground {
  readonly context: OfficeContext;
  readonly directory: Directory;
  readonly states: StateWatch;
  readonly neighbours: Neighbours;
}
