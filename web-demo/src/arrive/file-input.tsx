// The one way to pick a file, or one and its dictionary; what it looks like is up to its label.
interface Props {
  readonly onFiles: (files: readonly File[]) => void;
}

/** Lets the visitor pick one file, for a button that asks for one of a certain kind. If they change their mind, nothing comes. */
export function pickFile(): Promise<File> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.hidden = true;
    input.onchange = () => {
      const [file] = input.files ?? [];
      if (file !== undefined) resolve(file);
      input.remove();
    };
    input.oncancel = () => input.remove();
    // Some browsers say nothing of an input that is nowhere.
    document.body.append(input);
    input.click();
  });
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
