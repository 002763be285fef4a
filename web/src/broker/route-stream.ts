/** Every message that finds a recipient, while the page of the broker is open and seen. */
import type { Routed } from "../../../src/wire/shapes/broker.ts";
import type { Line } from "../connection/line.ts";

export interface RouteStreamParts {
  readonly line: Line;
  isVisible(): boolean;
  /** Returns how to end it. */
  onVisibility(act: () => void): () => void;
  /** From now on nothing is missed, and before it something may have been. */
  begun(): void;
  heard(routed: Routed): void;
}

/** Returns how to end it. */
export function followRoutes({ line, isVisible, onVisibility, begun, heard }: RouteStreamParts): () => void {
  const begin = () => {
    if (isVisible()) line.say({ type: "routes" });
  };
  const ends = [
    line.hear("routes.ok", begun),
    line.hear("routes.push", ({ route }) => heard(route as Routed)),
    line.onLive(begin),
    onVisibility(() => {
      if (isVisible()) begin();
      else line.say({ type: "unroutes" });
    }),
  ];
  return () => {
    for (const end of ends) end();
    line.say({ type: "unroutes" });
  };
}
