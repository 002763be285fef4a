import { BellhopError } from "../../../core/errors.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";

export function notConfigured(name: string, configured: readonly string[]): BellhopError {
  return new BellhopError("bridge.unknown", {
    message: `No bridge called "${sanitiseLine(name, 64)}" is configured.`,
    next:
      configured.length === 0
        ? "To connect one: bellhop bridge add telegram"
        : `Configured: ${configured.join(", ")}.`,
  });
}
