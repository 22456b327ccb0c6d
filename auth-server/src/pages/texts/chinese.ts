import type { PageTexts } from './page-texts.ts';

/** The pages in simplified Chinese. */
export const chinese: PageTexts = {
  language: 'zh',
  direction: 'ltr',
  signIn: {
    title: '登录',
    intro: (clientName) => `以继续使用 ${clientName}`,
    email: '电子邮箱',
    password: '密码',
    submit: '登录',
    refused: '电子邮箱或密码不正确。',
    throttled: '失败次数过多，请等待几分钟后再试。',
  },
  consent: {
    title: '允许访问吗？',
    intro: (clientName) => `${clientName} 想要`,
    signedInAs: (email) => `您已登录为 ${email}。`,
    allow: '允许',
    deny: '拒绝',
    scopes: {
      openid: '知道您是谁',
      profile: '查看您的姓名和资料',
      email: '查看您的电子邮箱',
      address: '查看您的邮寄地址',
      phone: '查看您的电话号码',
      offline_access: '在您离开时保持访问权限',
      'read:data': '读取用户、帖子和评论',
      'read:profile': '通过接口读取您的资料和电子邮箱',
      'write:data': '以您的名义发布帖子和评论',
    },
    otherScope: (scope) => `使用“${scope}”`,
  },
  logout: {
    title: '退出登录',
    question: '您要退出登录吗？',
    confirm: '退出登录',
    stay: '保持登录',
    done: '您已退出登录。',
    stayed: '您仍处于登录状态。',
  },
  error: {
    title: '操作未成功',
    expired: '此页面已失效。请返回应用程序重新开始。',
    refused: '应用程序发送的请求无法处理。请告知其运营者。',
    unavailable: '服务暂时不可用，请几秒钟后再试。',
    broken: '服务端发生错误，请稍后再试。',
    code: '错误',
  },
};
