// The one way to pick a file; what it looks like is up to its label.
interface Props {
  readonly onFile: (file: File) => void;
}

export function FileInput({ onFile }: Props) {
  return (
    <input
      type="file"
      class="hidden"
      onChange={({ currentTarget }) => {
        const file = currentTarget.files?.[0];
        if (file !== undefined) onFile(file);
        // Picking the same file again is a change, too.
        currentTarget.value = '';
      }}
    />
  );
}
