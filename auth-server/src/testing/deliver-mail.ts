import { createSmtpTransport } from '../mail/smtp-transport.ts';

// A process of its own, because NODE_EXTRA_CA_CERTS is read when a process starts. It hands over one message and ends.
const [url = ''] = process.argv.slice(2);
const transport = createSmtpTransport({
  url,
  from: 'Trellis <no-reply@auth.example>',
  issuer: 'https://auth.example',
});
try {
  await transport.deliver('1', { to: 'user@example.com', subject: 'Hello', text: 'Good day.' });
} finally {
  await transport.close();
}
