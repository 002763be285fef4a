/** The files that will go with the message. */
import { sanitiseLine } from "../../../src/core/text/sanitise.ts";
import { TEXT } from "../strings.ts";
import { bytesInWords } from "./attaching.ts";

interface AttachedProps {
  readonly files: readonly File[];
  remove(file: File): void;
}

export function Attached({ files, remove }: AttachedProps) {
  if (files.length === 0) return null;
  return (
    <ul class="attached" aria-label={TEXT.composer.attach}>
      {files.map((file, index) => {
        const name = sanitiseLine(file.name, 80);
        return (
          <li key={`${index} ${name}`} class="chip">
            {name} <span class="quiet">{bytesInWords(file.size)}</span>
            <button
              type="button"
              class="plain"
              aria-label={TEXT.composer.remove(name)}
              onClick={() => remove(file)}
            >
              ×
            </button>
          </li>
        );
      })}
    </ul>
  );
}
