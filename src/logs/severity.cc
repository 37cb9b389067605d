// SPDX-License-Identifier: Apache-2.0
#include "logs/severity.h"

#include <array>

#include "logs/ascii.h"

namespace ckpt::logs {
namespace {

struct MarkerWord {
  std::string_view word;
  MarkerKind kind;
  Severity severity = Severity::kUnknown;
};

// TABLE: the words that a server prints, English first, then by meaning. lc_messages translates
// them in stderr and csvlog. A word that is missing here makes its message's severity unknown,
// nothing worse; a missing label could let a quoted text pass for a message.
constexpr std::array kMarkerWords{
    MarkerWord{"LOG", MarkerKind::kSeverity, Severity::kLog},
    MarkerWord{"ERROR", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"STATEMENT", MarkerKind::kOtherLabel},
    MarkerWord{"DETAIL", MarkerKind::kOtherLabel},
    MarkerWord{"HINT", MarkerKind::kHint},
    MarkerWord{"CONTEXT", MarkerKind::kOtherLabel},
    MarkerWord{"WARNING", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"FATAL", MarkerKind::kSeverity, Severity::kFatal},
    MarkerWord{"LOCATION", MarkerKind::kOtherLabel},
    MarkerWord{"QUERY", MarkerKind::kOtherLabel},
    MarkerWord{"BACKTRACE", MarkerKind::kOtherLabel},
    MarkerWord{"PANIC", MarkerKind::kSeverity, Severity::kPanic},
    MarkerWord{"NOTICE", MarkerKind::kSeverity, Severity::kNotice},
    MarkerWord{"INFO", MarkerKind::kSeverity, Severity::kInfo},
    MarkerWord{"DEBUG", MarkerKind::kSeverity, Severity::kDebug},
    // jsonlog and csvlog print the level of DEBUG, stderr does not.
    MarkerWord{"DEBUG1", MarkerKind::kSeverity, Severity::kDebug},
    MarkerWord{"DEBUG2", MarkerKind::kSeverity, Severity::kDebug},
    MarkerWord{"DEBUG3", MarkerKind::kSeverity, Severity::kDebug},
    MarkerWord{"DEBUG4", MarkerKind::kSeverity, Severity::kDebug},
    MarkerWord{"DEBUG5", MarkerKind::kSeverity, Severity::kDebug},

    MarkerWord{"로그", MarkerKind::kSeverity, Severity::kLog},
    MarkerWord{"DZIENNIK", MarkerKind::kSeverity, Severity::kLog},
    MarkerWord{"СООБЩЕНИЕ", MarkerKind::kSeverity, Severity::kLog},
    MarkerWord{"SOOBSHHENIE", MarkerKind::kSeverity, Severity::kLog},
    MarkerWord{"LOGG", MarkerKind::kSeverity, Severity::kLog},
    MarkerWord{"日志", MarkerKind::kSeverity, Severity::kLog},
    MarkerWord{"日誌", MarkerKind::kSeverity, Severity::kLog},
    MarkerWord{"ЗАПИСУВАННЯ", MarkerKind::kSeverity, Severity::kLog},
    MarkerWord{"ჟურნალი", MarkerKind::kSeverity, Severity::kLog},

    MarkerWord{"FEHLER", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"ERREUR", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"ERRORE", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"ERRO", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"오류", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"BŁĄD", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"ОШИБКА", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"OSHIBKA", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"FEL", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"HATA", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"错误", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"錯誤", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"ПОМИЛКА", MarkerKind::kSeverity, Severity::kError},
    MarkerWord{"შეცდომა", MarkerKind::kSeverity, Severity::kError},

    MarkerWord{"FATALE", MarkerKind::kSeverity, Severity::kFatal},
    MarkerWord{"치명적오류", MarkerKind::kSeverity, Severity::kFatal},
    MarkerWord{"KATASTROFALNY", MarkerKind::kSeverity, Severity::kFatal},
    MarkerWord{"ВАЖНО", MarkerKind::kSeverity, Severity::kFatal},
    MarkerWord{"FATALT", MarkerKind::kSeverity, Severity::kFatal},
    MarkerWord{"ÖLÜMCÜL", MarkerKind::kSeverity, Severity::kFatal},
    MarkerWord{"致命错误", MarkerKind::kSeverity, Severity::kFatal},
    MarkerWord{"致命錯誤", MarkerKind::kSeverity, Severity::kFatal},
    MarkerWord{"ФАТАЛЬНО", MarkerKind::kSeverity, Severity::kFatal},
    MarkerWord{"ფატალური", MarkerKind::kSeverity, Severity::kFatal},

    MarkerWord{"PANIK", MarkerKind::kSeverity, Severity::kPanic},
    MarkerWord{"PANICO", MarkerKind::kSeverity, Severity::kPanic},
    MarkerWord{"손상", MarkerKind::kSeverity, Severity::kPanic},
    MarkerWord{"PANIKA", MarkerKind::kSeverity, Severity::kPanic},
    MarkerWord{"ПАНИКА", MarkerKind::kSeverity, Severity::kPanic},
    MarkerWord{"KRİTİK", MarkerKind::kSeverity, Severity::kPanic},
    MarkerWord{"灾难性错误", MarkerKind::kSeverity, Severity::kPanic},
    MarkerWord{"嚴重錯誤", MarkerKind::kSeverity, Severity::kPanic},
    MarkerWord{"比致命错误还过分的错误", MarkerKind::kSeverity, Severity::kPanic},
    MarkerWord{"ПАНІКА", MarkerKind::kSeverity, Severity::kPanic},
    MarkerWord{"პანიკა", MarkerKind::kSeverity, Severity::kPanic},
    MarkerWord{"PÂNICO", MarkerKind::kSeverity, Severity::kPanic},

    MarkerWord{"WARNUNG", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"ATTENTION", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"ATTENZIONE", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"경고", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"OSTRZEŻENIE", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"ПРЕДУПРЕЖДЕНИЕ", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"VARNING", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"UYARI", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"警告", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"ПОПЕРЕДЖЕННЯ", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"გაფრთხილება", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"PERINGATAN", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"AVISO", MarkerKind::kSeverity, Severity::kWarning},
    MarkerWord{"ADVERTÊNCIA", MarkerKind::kSeverity, Severity::kWarning},

    MarkerWord{"디버그", MarkerKind::kSeverity, Severity::kDebug},
    MarkerWord{"ОТЛАДКА", MarkerKind::kSeverity, Severity::kDebug},
    MarkerWord{"调试", MarkerKind::kSeverity, Severity::kDebug},
    MarkerWord{"除錯", MarkerKind::kSeverity, Severity::kDebug},
    MarkerWord{"НАЛАГОДЖЕННЯ", MarkerKind::kSeverity, Severity::kDebug},
    MarkerWord{"გამართვა", MarkerKind::kSeverity, Severity::kDebug},
    MarkerWord{"DEPURAÇÃO", MarkerKind::kSeverity, Severity::kDebug},

    MarkerWord{"TIPP", MarkerKind::kHint},
    MarkerWord{"ASTUCE", MarkerKind::kHint},
    MarkerWord{"SUGGERIMENTO", MarkerKind::kHint},
    MarkerWord{"ヒント", MarkerKind::kHint},
    MarkerWord{"힌트", MarkerKind::kHint},
    MarkerWord{"PODPOWIEDŹ", MarkerKind::kHint},
    MarkerWord{"ПОДСКАЗКА", MarkerKind::kHint},
    MarkerWord{"PODSKAZKA", MarkerKind::kHint},
    MarkerWord{"TIPS", MarkerKind::kHint},
    MarkerWord{"İPUCU", MarkerKind::kHint},
    MarkerWord{"提示", MarkerKind::kHint},
    MarkerWord{"УКАЗІВКА", MarkerKind::kHint},
    MarkerWord{"მინიშნება", MarkerKind::kHint},
    MarkerWord{"PETUNJUK", MarkerKind::kHint},
    MarkerWord{"DICA", MarkerKind::kHint},

    // STATEMENT.
    MarkerWord{"ANWEISUNG", MarkerKind::kOtherLabel},
    MarkerWord{"SENTENCIA", MarkerKind::kOtherLabel},
    MarkerWord{"INSTRUCTION", MarkerKind::kOtherLabel},
    MarkerWord{"ISTRUZIONE", MarkerKind::kOtherLabel},
    MarkerWord{"文", MarkerKind::kOtherLabel},
    MarkerWord{"구문", MarkerKind::kOtherLabel},
    MarkerWord{"WYRAŻENIE", MarkerKind::kOtherLabel},
    MarkerWord{"ОПЕРАТОР", MarkerKind::kOtherLabel},
    MarkerWord{"SATS", MarkerKind::kOtherLabel},
    MarkerWord{"KOMUT", MarkerKind::kOtherLabel},
    MarkerWord{"语句", MarkerKind::kOtherLabel},
    MarkerWord{"陳述式", MarkerKind::kOtherLabel},
    MarkerWord{"ІНСТРУКЦІЯ", MarkerKind::kOtherLabel},
    MarkerWord{"ოპერატორი", MarkerKind::kOtherLabel},
    MarkerWord{"PERNYATAAN", MarkerKind::kOtherLabel},
    MarkerWord{"COMANDO", MarkerKind::kOtherLabel},
    MarkerWord{"INSTRUÇÂO", MarkerKind::kOtherLabel},
    // QUERY.
    MarkerWord{"ANFRAGE", MarkerKind::kOtherLabel},
    MarkerWord{"CONSULTA", MarkerKind::kOtherLabel},
    MarkerWord{"REQUÊTE", MarkerKind::kOtherLabel},
    MarkerWord{"問い合わせ", MarkerKind::kOtherLabel},
    MarkerWord{"쿼리", MarkerKind::kOtherLabel},
    MarkerWord{"ZAPYTANIE", MarkerKind::kOtherLabel},
    MarkerWord{"ЗАПРОС", MarkerKind::kOtherLabel},
    MarkerWord{"FRÅGA", MarkerKind::kOtherLabel},
    MarkerWord{"SORGU", MarkerKind::kOtherLabel},
    MarkerWord{"查询", MarkerKind::kOtherLabel},
    MarkerWord{"查詢", MarkerKind::kOtherLabel},
    MarkerWord{"ЗАПИТ", MarkerKind::kOtherLabel},
    MarkerWord{"მოთხოვნა", MarkerKind::kOtherLabel},
    // DETAIL.
    MarkerWord{"DETALLE", MarkerKind::kOtherLabel},
    MarkerWord{"DÉTAIL", MarkerKind::kOtherLabel},
    MarkerWord{"DETTAGLI", MarkerKind::kOtherLabel},
    MarkerWord{"詳細", MarkerKind::kOtherLabel},
    MarkerWord{"상세정보", MarkerKind::kOtherLabel},
    MarkerWord{"SZCZEGÓŁY", MarkerKind::kOtherLabel},
    MarkerWord{"ПОДРОБНОСТИ", MarkerKind::kOtherLabel},
    MarkerWord{"DETALJ", MarkerKind::kOtherLabel},
    MarkerWord{"AYRINTI", MarkerKind::kOtherLabel},
    MarkerWord{"详细信息", MarkerKind::kOtherLabel},
    MarkerWord{"详情", MarkerKind::kOtherLabel},
    MarkerWord{"詳情", MarkerKind::kOtherLabel},
    MarkerWord{"ВІДОМОСТІ", MarkerKind::kOtherLabel},
    MarkerWord{"დეტალები", MarkerKind::kOtherLabel},
    MarkerWord{"DETIL", MarkerKind::kOtherLabel},
    MarkerWord{"DETALHE", MarkerKind::kOtherLabel},
    // CONTEXT.
    MarkerWord{"ZUSAMMENHANG", MarkerKind::kOtherLabel},
    MarkerWord{"CONTEXTO", MarkerKind::kOtherLabel},
    MarkerWord{"CONTEXTE", MarkerKind::kOtherLabel},
    MarkerWord{"CONTESTO", MarkerKind::kOtherLabel},
    MarkerWord{"文脈", MarkerKind::kOtherLabel},
    MarkerWord{"내용", MarkerKind::kOtherLabel},
    MarkerWord{"KONTEKST", MarkerKind::kOtherLabel},
    MarkerWord{"КОНТЕКСТ", MarkerKind::kOtherLabel},
    MarkerWord{"KONTEXT", MarkerKind::kOtherLabel},
    MarkerWord{"ORTAM", MarkerKind::kOtherLabel},
    MarkerWord{"上下文", MarkerKind::kOtherLabel},
    MarkerWord{"კონტექსტი", MarkerKind::kOtherLabel},
    MarkerWord{"KONTEKS", MarkerKind::kOtherLabel},
};

constexpr std::size_t kMaxWordBytes = 48;

const MarkerWord* Lookup(std::string_view word) {
  for (const MarkerWord& entry : kMarkerWords) {
    if (entry.word == word) return &entry;
  }
  return nullptr;
}

// Letters, bytes of other character sets, and what a conversion to ASCII leaves: "??", "ERROR`".
bool IsWordByte(char c) {
  return IsLetter(c) || !IsAscii(c) || c == '?' || c == '`' || c == '(' || c == ')';
}

}  // namespace

Severity SeverityOf(std::string_view word) {
  const MarkerWord* entry = Lookup(word);
  return entry != nullptr && entry->kind == MarkerKind::kSeverity ? entry->severity
                                                                  : Severity::kUnknown;
}

std::optional<Marker> FindMarker(std::string_view line) {
  for (std::size_t colon = line.find(":  "); colon != std::string_view::npos;
       colon = line.find(":  ", colon + 1)) {
    std::size_t end = colon;
    // French sets a space before the colon of its labels.
    if (end > 1 && line[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && end - begin < kMaxWordBytes && IsWordByte(line[begin - 1])) --begin;
    if (begin == end) continue;
    std::string_view word = line.substr(begin, end - begin);
    // Turkish: "HATA (ERROR)".
    if (word.size() > 2 && word.front() == '(' && word.back() == ')') {
      word = word.substr(1, word.size() - 2);
    }
    Marker marker{MarkerKind::kSeverity, Severity::kUnknown, begin, end, colon + 3};
    if (const MarkerWord* entry = Lookup(word)) {
      marker.kind = entry->kind;
      marker.severity = entry->severity;
    }
    return marker;
  }
  return std::nullopt;
}

}  // namespace ckpt::logs
