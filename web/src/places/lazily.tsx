/** A part of the page that is loaded when it is first seen, so that the first view stays small. */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { TEXT } from "../strings.ts";

export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const loaded = signal<{ readonly part?: ComponentType<Props>; readonly failed?: true } | undefined>(
    undefined,
  );
  const begin = async () => {
    loaded.value = {};
    try {
      loaded.value = { part: await load() };
    } catch {
      // After an upgrade of the daemon its files have other names.
      loaded.value = { failed: true };
    }
  };
  return function Lazy(props) {
    if (loaded.value === undefined) void begin();
    const Part = loaded.value?.part;
    if (Part !== undefined) return <Part {...props} />;
    if (loaded.value?.failed !== true) return <p class="nothing">{TEXT.lazy.loading}</p>;
    return (
      <p class="nothing" role="alert">
        {TEXT.lazy.failed}{" "}
        <button type="button" onClick={() => location.reload()}>
          {TEXT.lazy.again}
        </button>
      </p>
    );
  };
}
