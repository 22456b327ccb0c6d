import { describe, expect, it } from 'vitest';
import { isCommonPassword } from './common-passwords.ts';
import { passwordProblem, type PasswordProblem } from './password-problem.ts';

const ada = { email: 'ada.marlow@example.com', name: 'Ada Marlow', issuer: 'https://auth.trellis.example' };

describe('M9: a password that a user chooses', () => {
  it.each<[string, PasswordProblem | undefined]>([
    ['1234567', 'short'],
    ['🙂🙂🙂🙂🙂🙂🙂', 'short'],
    ['x'.repeat(1_025), 'long'],
    ['password', 'common'],
    ['PassWord1', 'common'],
    ['12345678', 'common'],
    ['qwertyuiop', 'common'],
    ['iloveyou1', 'common'],
    ['ｐａｓｓｗｏｒｄ', 'common'],
    ['ada.marlow@example.com', 'personal'],
    ['AdaMarlow1', 'personal'],
    ['marlow2024', 'personal'],
    ['trellis1!', 'personal'],
    ['correct horse battery staple', undefined],
    ['ada likes 7 green boats', undefined],
    ['xK9#mQ2$vL', undefined],
    ['长长的一个密码句子', undefined],
  ])('%s: %s', (password, problem) => {
    expect(passwordProblem(password, ada)).toBe(problem);
  });

  it('is not taken for a common one by chance', () => {
    const common = Array.from({ length: 20_000 }, (_, index) => `own words ${index} none has`).filter(
      isCommonPassword,
    );
    expect(common).toEqual([]);
  });
});
