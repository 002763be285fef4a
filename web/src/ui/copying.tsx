/** Copies a text, and says whether it could: without https, browsers allow it only on this machine. */
import { useSignal } from "@preact/signals";
import { TEXT } from "../strings.ts";

export function CopyButton({ text }: { readonly text: string }) {
  const outcome = useSignal("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      outcome.value = TEXT.copy.done;
    } catch {
      outcome.value = TEXT.copy.failed;
    }
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {TEXT.copy.copy}
      </button>
      <span class="quiet" role="status">
        {outcome}
      </span>
    </>
  );
}
