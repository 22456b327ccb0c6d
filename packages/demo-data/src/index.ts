export { demoAccounts, demoPassword, type DemoAccount } from './demo-accounts.ts';
