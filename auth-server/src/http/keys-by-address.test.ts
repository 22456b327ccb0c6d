import { fileURLToPath } from 'node:url';
import { testKeysByAddress } from '@trellis/testkit/shares';

const RECORD = 'for the record of what was done';
const COUNTED = 'for attempts and messages, which are counted by its networks';

testKeysByAddress({
  folder: fileURLToPath(new URL('..', import.meta.url)),
  reads: {
    'http/client-certificates.ts': 'whether it is a proxy whose header is trusted',
    'http/limit-connections.ts': 'of a connection',
    'http/request-limits.ts': 'before anything of a request is read',
    'routes/account-forms.ts': COUNTED,
    'routes/admin/admin-context.ts': RECORD,
    'routes/authenticate-request.ts': COUNTED,
    'routes/consent.ts': RECORD,
    'routes/console/console-context.ts': RECORD,
    'routes/device.ts': RECORD,
    'routes/link.ts': 'for the record of what was done, and turns at the hashing of passwords',
    'routes/login.ts': COUNTED,
    'routes/mail-pages.ts': COUNTED,
    'routes/read-proof.ts': 'for the room that a proof takes',
    'routes/read-session.ts': 'for the list of sessions',
    'routes/register.ts': RECORD,
    'routes/registration-management.ts': RECORD,
    'routes/take-room.ts': 'for the room that a request takes',
    'routes/token.ts': RECORD,
  },
  keys: { 'http/request-limits.ts': 'remembers the networks of an address' },
  networks: {
    'accounts/sign-in/hash-callers.ts': 'turns at the hashing of passwords',
    'administration/create-account-mail.ts': 'messages under way',
    'attempts/bounded-attempts.ts': 'bytes that anybody may write',
    'attempts/network-counters.ts': 'wrong attempts to sign in, guesses of secrets, messages by mail',
    'audit/repeated-failures.ts': 'nothing: it counts failures in one row',
    'clients/authentication/secret-attempt-limiter.ts': 'guesses of secrets',
    'http/limit-connections.ts': 'connections',
    'http/request-limits.ts': 'requests to endpoints',
    'mail/mail-limits.ts': 'messages by mail, links',
    'routes/take-room.ts': 'bytes that anybody may write',
  },
});
