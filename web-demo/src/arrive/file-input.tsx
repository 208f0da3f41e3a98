// The file input. Its label decides how it looks.
interface Props {
  readonly onFiles: (files: readonly File[]) => void;
}

/** Lets the visitor pick a file. Never resolves if they cancel. */
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
    // Some browsers fire no event for a detached input.
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
