/** Sixty notes, and for each a question whose right answer it is. */
export interface AskedNote {
  readonly key: string;
  readonly content: string;
  readonly question: string;
}

const rows: readonly (readonly [string, string, string])[] = [
  // Words of a question, among words that many notes have.
  [
    "deploy-window",
    "We deploy the web shop on Tuesdays and Thursdays before noon, never on a Friday.",
    "on which days do we deploy the shop",
  ],
  [
    "staging-database",
    "The staging database is rebuilt from an anonymised dump every Sunday night.",
    "when is the staging database rebuilt",
  ],
  [
    "review-rule",
    "Two engineers review each change of the billing service; one is enough elsewhere.",
    "how many engineers review a billing change",
  ],
  [
    "log-retention",
    "Access logs are kept for ninety days, audit logs for seven years.",
    "how long are audit logs kept",
  ],
  ["on-call", "Marta has the pager in odd weeks, Jonas in even weeks.", "who has the pager in even weeks"],
  [
    "test-command",
    "Run the unit tests with make check; the browser tests need make e2e.",
    "command for the browser tests",
  ],
  ["theme", "The user prefers a dark theme and a large font in the editor.", "what font does the user like"],
  [
    "language-of-answers",
    "Answer in German when the question is in German, else in English.",
    "which language should an answer have",
  ],
  [
    "vendor-contact",
    "The contact at the payment provider is Ms. Okafor, reachable on weekdays.",
    "payment provider contact",
  ],
  [
    "backup-place",
    "Backups go to the bucket in Frankfurt, encrypted with the key of the platform team.",
    "where do encrypted backups go",
  ],
  // Parts of words, endings, and words that belong together.
  ["authentication", "Authentication uses short-lived tokens from the identity service.", "authent"],
  ["rollback", "A rollback takes four minutes and needs the release manager.", "roll back a release"],
  ["configuration", "Configuration lives beside the service and is reloaded on a signal.", "configuring reload"],
  ["linters", "The linters complain about unused imports; fix them before pushing.", "linter unused import"],
  ["microphone", "Standup is at half past nine; mute the microphone when not speaking.", "micro phone muting"],
  ["localisation", "Localisation files are exported by translators as spreadsheets.", "localis spreadsheet"],
  ["throttle", "Requests are throttled to ten a second for each customer.", "throttling of customers"],
  ["synchronise", "Calendars are synchronised hourly through the groupware gateway.", "calendar synchronisation"],
  ["dependency-updates", "Dependencies are updated monthly by a scheduled job.", "dependency update schedule"],
  [
    "screenreader",
    "The settings page must work with a screenreader and without a mouse.",
    "reader for screen settings",
  ],
  // Chinese, Japanese and Korean: one to four characters.
  ["nickname", "客户的昵称是小林，喜欢喝绿茶。", "昵称"],
  ["office-city", "办公室在上海，靠近人民广场站。", "上海"],
  ["birthday-cn", "他的生日在八月，请提前准备礼物。", "生日"],
  ["database-cn", "数据库迁移由王工程师负责，每季度一次。", "数据库迁移"],
  ["surname", "新同事姓欧，从下周一开始上班。", "欧"],
  ["trip-to-japan", "来月の出張は日本の京都です。ホテルは駅の近く。", "京都"],
  ["coffee-jp", "会議の前にコーヒーを三つ注文する。", "コーヒー"],
  ["train-jp", "終電は二十三時四十分、乗り換えは品川。", "品川"],
  ["lunch-kr", "점심은 보통 열두 시에 구내식당에서 먹습니다.", "점심"],
  ["project-kr", "프로젝트 이름은 무지개이고 마감은 금요일입니다.", "무지개"],
  // Accents and letters that are typed in several ways.
  ["cafe", "The team meets at the Café Früh behind the station.", "cafe fruh"],
  ["lodz", "The print shop in Łódź delivers the brochures.", "lodz brochures"],
  ["strasse", "Postal address: Lindenstraße 12, second backyard.", "Lindenstrasse"],
  ["resume", "His résumé lists three years at a shipyard.", "resume shipyard"],
  ["naive", "The naïve estimate was off by a factor of two.", "naive estimate"],
  ["smorrebrod", "For the farewell we order smørrebrød from the corner shop.", "smorrebrod"],
  ["senor", "Señor Peña signs for the Spanish branch.", "senor pena"],
  ["angstrom", "Ångström units appear in the old lab export only.", "angstrom"],
  ["full-width", "型番はＡＢＣ－１２３で、在庫は少ない。", "ABC-123"],
  ["vietnamese", "Khách hàng ở Hà Nội muốn giao hàng buổi sáng.", "Ha Noi giao hang"],
  // Identifiers of code and paths.
  ["user-store", "getUserName() in src/http/userStore.ts caches for five minutes.", "username cache"],
  ["env-variable", "Set SHOP_DB_POOL_SIZE to 20 on the large hosts.", "SHOP_DB_POOL_SIZE"],
  ["http-client", "HTTPClientFactory must not be used in workers; it leaks sockets.", "http client factory leak"],
  ["error-code", "E4217 means that the tax table of the region is missing.", "E4217"],
  ["path-of-templates", "Mail templates are under /srv/mail/templates/v3/, rendered nightly.", "/srv/mail/templates"],
  ["commit-hash", "The regression came with commit 9f3c2ab of the parser.", "9f3c2ab"],
  ["c-sharp", "The import worker is written in C#, the exporter in Go.", "C#"],
  ["bucket-r2", "Images are in the r2 storage, videos elsewhere.", "r2"],
  ["go-version", "Build images carry Go 1.23 since spring.", "Go 1.23"],
  ["plus-plus", "The renderer is C++ and needs a compiler from this decade.", "c++ renderer"],
  // Punctuation, numbers and dates.
  ["port", "port:9000 is for staging, port:9443 for production.", "port:9443"],
  ["ratio", "Target for the disk is 3 MB/s; below that, don't page anybody.", "MB/s don't"],
  ["blue-green", "Production switches by blue-green; the old colour stays for a day.", "blue-green"],
  ["audit-date", "The external audit took place on 2026-03-14 in the main office.", "2026-03-14"],
  ["contract-end", "The contract with the courier ends on 31 December 2027.", "contract december 2027"],
  ["phone", "Emergency number of the building: +49 30 5550199.", "5550199"],
  ["email", "Invoices go to invoices@shop.example, never to an employee.", "invoices@shop.example"],
  ["version", "Release 2.14.3 removed the old search page.", "2.14.3"],
  ["percent", "The discount for members is 12.5%, rounded down.", "12.5% (members"],
  ["quote", 'She calls the old cluster "the zoo" and wants it gone by autumn.', '"the zoo"'],
];

export const ASKED_NOTES: readonly AskedNote[] = rows.map(([key, content, question]) => ({ key, content, question }));
