/** A dialog that the browser itself keeps the focus in. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { openDialog } from "./open.ts";

interface ModalProps {
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

export function Modal({ label, class: name, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // At once: the next key is for it already.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  const close = () => {
    openDialog.value = undefined;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: for keys, the browser closes a dialog by Escape.
    <dialog
      ref={dialog}
      class={name}
      aria-label={label}
      onClose={close}
      onClick={(event) => {
        // Beside it, on what the browser puts behind it.
        if (event.target === dialog.current) close();
      }}
    >
      {children}
    </dialog>
  );
}
