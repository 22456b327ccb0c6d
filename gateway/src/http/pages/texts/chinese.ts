import type { PageTexts } from './page-texts.ts';

/** The pages in simplified Chinese. */
export const chinese: PageTexts = {
  language: 'zh',
  direction: 'ltr',
  landing: {
    intro: '此地址提供联邦式 GraphQL 图。',
    version: '版本',
    graph: '模式',
    types: (types) => `${types} 个类型`,
    subgraphs: '子图',
    endpoint: '端点',
    explore: '打开浏览器工具',
    tryIt: '第一个请求',
    token: '需要权限的字段要使用访问令牌：添加 -H "Authorization: Bearer …"。',
    links: '链接',
    issuer: '登录与账户',
    health: '运行状况',
  },
  explorer: { title: '浏览器工具', needsScript: '此工具需要 JavaScript。' },
};
