export { demoAccounts, demoPassword, type DemoAccount } from './demo-accounts.ts';
export { demoClients, type DemoClient, type DemoOrigins } from './demo-clients.ts';
export {
  createDemoContent,
  type DemoComment,
  type DemoContent,
  type DemoPost,
  type DemoUser,
} from './demo-content.ts';
export { createRandom, type Random } from './random.ts';
