/** What became of what was said. */
import { ErrorNote } from "../ui/error-note.tsx";
import type { Step } from "./saying.ts";

export function OutcomeNote({ step }: { readonly step: Step }) {
  if (step.at === "refused") return <ErrorNote {...step.error} />;
  if (step.at !== "sent") return null;
  return (
    <p class="note" role="status">
      {step.text}
    </p>
  );
}
