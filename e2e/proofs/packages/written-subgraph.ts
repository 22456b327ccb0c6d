import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, createTestUserContext, freePort } from '@trellis/testkit';
import { install, type NodeRelease } from './outside-project.ts';
import { expectResponse, SILENT, urlOf } from './outside-graph.ts';
import { plainEnvironment, runProgram } from './run-program.ts';
import { serve } from './served-program.ts';

const NEW = 'likes';

/** `trellis new-subgraph\` in an empty folder, installed from the packed files and compiled. @returns its folder */
export async function writeSubgraph(
  directory: string,
  project: string,
  packed: ReadonlyMap<string, string>,
): Promise<string> {
  const trellis = join(project, 'node_modules/trellis/bin/trellis.mjs');
  await runProgram(process.execPath, [trellis, 'new-subgraph', NEW], { cwd: directory });
  const folder = join(directory, NEW);
  // What was not published yet comes from the packed files, also where other packages depend on it.
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest; // written above
  const overrides = Object.fromEntries([...packed].map(([name, file]) => [name, `file:${file}`]));
  for (const group of [manifest.dependencies, manifest.devDependencies])
    for (const name of Object.keys(group)) group[name] = overrides[name] ?? group[name] ?? '';
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, overrides }));
  await install(folder, []);
  await runProgram('npm', ['run', 'build'], { cwd: folder });
  return folder;
}

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

/** Its own tests pass, it starts, and it joins a graph that is served. */
export async function tryWrittenSubgraph(
  project: string,
  folder: string,
  { executable }: NodeRelease,
): Promise<void> {
  const database = await createTestDatabase();
  const { privateKey } = await createTestUserContext();
  const [gatewayPort, subgraphPort] = [await freePort(), await freePort()];
  const trellis = [executable, 'node_modules/trellis/bin/trellis.mjs'];
  const served = join(folder, 'served.graphql');
  cpSync(join(project, 'supergraph.graphql'), served);
  try {
    await runProgram(executable, ['node_modules/vitest/vitest.mjs', 'run'], { cwd: folder });
    const gateway = await serve(
      [...trellis, 'gateway', served, '--port', String(gatewayPort)],
      `${urlOf(gatewayPort)}/health/ready`,
      {
        cwd: project,
        env: { ...plainEnvironment(), ...SILENT, USER_CONTEXT_PRIVATE_KEY: JSON.stringify(privateKey) },
      },
    );
    const subgraph = await serve([executable, 'dist/main.js'], `${urlOf(subgraphPort)}/health/ready`, {
      cwd: folder,
      env: {
        ...plainEnvironment(),
        ...SILENT,
        PORT: String(subgraphPort),
        DATABASE_URL: database.connectionString,
        USER_CONTEXT_JWKS_URL: `${urlOf(gatewayPort)}/.well-known/user-context-jwks.json`,
      },
    });
    // The gateway would withhold what needs a scope: that the subgraph does so shows that it was asked.
    const sdl = readFileSync(join(folder, 'src/schema.graphql'), 'utf8').replaceAll(
      /@requiresScopes\(.*\)/g,
      '',
    );
    const subgraphs = { [NEW]: { routing_url: `${urlOf(subgraphPort)}/graphql`, schema: { sdl } } };
    writeFileSync(join(folder, 'supergraph.yaml'), JSON.stringify({ subgraphs }));
    const compose = ['compose', '--config', join(folder, 'supergraph.yaml'), '--output', served];
    await runProgram(executable, [...trellis.slice(1), ...compose], { cwd: project });
    const query = `{ _: __typename ${NEW.slice(0, -1)}(id: "none") { text } }`;
    await expectResponse(gatewayPort, query, (text) =>
      /"path":\["like"\].*"code":"(?:UNAUTHENTICATED|FORBIDDEN)"/.test(text),
    );
    await subgraph.stop();
    await gateway.stop();
  } finally {
    await database.drop();
  }
}
