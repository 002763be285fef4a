/** For what costs more to draw than a frame has time: with the next frame, but then not again for a while. */
import { oncePerFrame } from "./once-per-frame.ts";

interface Timing {
  frame(act: () => void): unknown;
  after(ms: number, act: () => void): unknown;
}

/**
 *   resting ─▶ (called) drawn with the next frame ─▶ waits ─▶ resting
 *                                  └─ (called while it waits) ─▶ drawn with the first frame after it
 */
export function nowAndThen({ frame, after }: Timing, everyMs: number, act: () => void): () => void {
  let state: "resting" | "waiting" | "called" = "resting";
  const draw = oncePerFrame(frame, () => {
    act();
    after(everyMs, () => {
      const isCalled = state === "called";
      state = "resting";
      if (isCalled) call();
    });
  });
  const call = () => {
    if (state === "resting") {
      state = "waiting";
      draw();
    } else state = "called";
  };
  return call;
}
