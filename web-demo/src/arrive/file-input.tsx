// The one way to pick a file, or one and its dictionary; what it looks like is up to its label.
interface Props {
  readonly onFiles: (files: readonly File[]) => void;
}

export function FileInput({ onFiles }: Props) {
  return (
    <input
      type="file"
      class="hidden"
      multiple
      onChange={({ currentTarget }) => {
        const files = [...(currentTarget.files ?? [])];
        if (files.length > 0) onFiles(files);
        // Picking the same file again is a change, too.
        currentTarget.value = '';
      }}
    />
  );
}
