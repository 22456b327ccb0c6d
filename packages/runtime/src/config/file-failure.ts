/**
 * Why a file can't be read, as one sentence that names it, in the place of Node.js's text. Other errors keep their message.
 *
 * @param file its name, for messages. @default as the error has it; Node.js leaves it out for a folder
 */
export function fileFailure(error: Error, file?: string): string {
  const { code, path, message }: NodeJS.ErrnoException = error;
  const name = file ?? path ?? '';
  switch (code) {
    case 'ENOENT':
      return `There is no file or directory for ${name || 'a name'}.`;
    case 'EISDIR':
      return `${name || 'What was named'} is a directory, not a file.`;
    case 'EACCES':
    case 'EPERM':
      return `This process has no right to read or write ${name || 'what was named'}.`;
    default:
      return message;
  }
}

/** @throws Error in words where a file can't be read; what else has failed as it is, an abort too */
export function failInWords(error: unknown, file: string): never {
  throw isFileFailure(error) ? new Error(fileFailure(error, file), { cause: error }) : error;
}

/** Whether an operation on a file has failed, and not what was done with its content. */
export function isFileFailure(error: unknown): error is Error & { readonly syscall: string } {
  return error instanceof Error && 'syscall' in error;
}
