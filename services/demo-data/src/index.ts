export { demoAccounts, demoPassword, type DemoAccount } from './demo-accounts.ts';
export {
  createDemoContent,
  type DemoComment,
  type DemoContent,
  type DemoPost,
  type DemoUser,
} from './demo-content.ts';
export { createRandom, type Random } from './random.ts';
