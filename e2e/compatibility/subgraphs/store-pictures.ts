import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { uploadScalar, type UploadedFile } from '@trellis/subgraph-kit';

async function store(file: UploadedFile, folder: string): Promise<string> {
  const { bytes } = await file.open();
  const id = randomUUID();
  const path = join(folder, id);
  try {
    await pipeline(bytes, createWriteStream(`${path}.part`));
    await rename(`${path}.part`, path);
  } catch (error) {
    await rm(`${path}.part`, { force: true });
    throw error;
  }
  return id;
}

/** Resolvers that store files in a folder. */
export function storePictures(folder: string): object {
  return {
    Upload: uploadScalar,
    Mutation: {
      addPicture: (_: unknown, { file }: { readonly file: UploadedFile }) => store(file, folder),
      addPictures: async (_: unknown, { files }: { readonly files: readonly UploadedFile[] }) => {
        const ids: string[] = [];
        for (const file of files) ids.push(await store(file, folder)); // in their order
        return ids;
      },
    },
  };
}
