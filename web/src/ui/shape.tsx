/** Each state has a shape of its own, so that nobody needs to tell colours apart. */
import type { JSX } from "preact";

export type ShapeName = "blocked" | "busy" | "turn" | "starting" | "idle" | "unknown" | "exited" | "absent";

const PATHS: Readonly<Record<ShapeName, JSX.Element>> = {
  blocked: <path class="filled" d="M8 1.5 15 14H1z" />,
  busy: <circle class="filled" cx="8" cy="8" r="5.5" />,
  turn: <path class="filled" d="M8 1.8 14.2 8 8 14.2 1.8 8z" />,
  starting: <circle class="drawn dashed" cx="8" cy="8" r="5" />,
  idle: <circle class="drawn" cx="8" cy="8" r="5" />,
  unknown: <path class="drawn" d="M5.4 6a2.6 2.6 0 1 1 3.6 2.4c-.7.3-1 .8-1 1.6M8 12.6v.6" />,
  exited: <path class="drawn" d="m4 4 8 8m0-8-8 8" />,
  absent: <path class="drawn" d="M4 8h8" />,
};

export function Shape({ of }: { readonly of: ShapeName }) {
  return (
    <svg class={`shape ${of}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {PATHS[of]}
    </svg>
  );
}
