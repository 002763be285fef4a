/** A key, for those who see it; what it does, the button says. */
export function KeyHint({ of }: { readonly of: string }) {
  return (
    <span class="key" aria-hidden="true">
      {of}
    </span>
  );
}
