import { startFirstPlanner } from './planning/threads/worker-thread.ts';

const { GATEWAY_WORKERS, WORKERS } = process.env;
if ((GATEWAY_WORKERS ?? WORKERS ?? '1') === '1') void startFirstPlanner(); // it loads while this thread does
const [{ gateway }, { runDeployable }] = await Promise.all([
  import('./app/gateway.ts'),
  import('@trellis/runtime'),
]);
await runDeployable(gateway, process.env);
