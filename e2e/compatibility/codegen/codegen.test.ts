import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryDirectory } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { repository } from '../../documentation/code-blocks.ts';
import { cell } from '../cell.ts';
import { DEFERRED, endpoint, LIVE, POSTS } from '../scene.ts';

const run = promisify(execFile);
const package_ = createRequire(import.meta.url).resolve('@graphql-codegen/cli/package.json');
const { bin } = JSON.parse(readFileSync(package_, 'utf8')) as { bin: Readonly<Record<string, string>> };

const DOCUMENTS = [POSTS, DEFERRED, LIVE];

describe('GraphQL Code Generator', () => {
  it(cell('GraphQL Code Generator', 'compiler'), async () => {
    const directory = createTemporaryDirectory();
    const folder = directory.path;
    symlinkSync(join(repository, 'e2e/node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'src'));
    const texts = DOCUMENTS.map((text) => `graphql(\`${text}\`);`);
    writeFileSync(join(folder, 'src/app.ts'), `import { graphql } from './gql';\n${texts.join('\n')}\n`);
    const generates = (schema: string): object => ({ schema, preset: 'client' });
    const config = {
      documents: ['src/app.ts'],
      generates: {
        './running/': generates(endpoint),
        './file/': generates(join(repository, 'docs/api.graphql')),
      },
    };
    writeFileSync(join(folder, 'codegen.json'), JSON.stringify(config));
    const program = join(package_, '..', bin['graphql-codegen'] ?? '');
    await run(process.execPath, [program, '--config', 'codegen.json'], { cwd: folder });
    const [running, file] = ['running', 'file'].map((name) =>
      readFileSync(join(folder, name, 'graphql.ts'), 'utf8'),
    );
    for (const name of ['PostsQuery', 'DeferredQuery', 'LiveQuery'])
      for (const written of [running, file]) expect(written).toContain(`export type ${name} = `);
    directory.remove();
  });
});
