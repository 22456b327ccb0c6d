import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The four subgraphs in a process of their own. */
export interface MeasuredSubgraphs {
  readonly urls: Readonly<Record<string, string>>;
  requestCount(): Promise<number>;
  stop(): void;
}

interface Ready {
  readonly kind: 'ready';
  readonly urls: Record<string, string>;
}

interface Count {
  readonly kind: 'count';
  readonly count: number;
}

/** Starts them, run from source by the same loader as this program. */
export async function startSubgraphs(): Promise<MeasuredSubgraphs> {
  const program = fileURLToPath(new URL('./subgraph-process.ts', import.meta.url));
  const child = fork(program, { execArgv: ['--conditions=trellis-source', '--import', 'tsx'] });
  const { urls } = await nextMessage<Ready>(child);
  return {
    urls,
    requestCount: async () => {
      child.send('count');
      return (await nextMessage<Count>(child)).count;
    },
    stop: () => void child.kill(),
  };
}

function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('The subgraphs have ended.'));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as Message);
    });
  });
}
