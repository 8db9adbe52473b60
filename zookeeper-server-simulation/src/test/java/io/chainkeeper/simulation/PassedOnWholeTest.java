package io.chainkeeper.simulation;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchUnitRunner;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.junit.runner.RunWith;

/**
 * Who stands before an object of the product and passes calls on to it passes all of them on. A method that has a
 * default would else be answered by that, silently, and what is simulated would not be what is shipped.
 */
@RunWith(ArchUnitRunner.class)
@AnalyzeClasses(packages = "io.chainkeeper", importOptions = ImportOption.DoNotIncludeTests.class)
public final class PassedOnWholeTest {
    @ArchTest
    public static final ArchRule whoPassesCallsOn_passesAllOn = classes().should(new PassOnAll());

    private static final class PassOnAll extends ArchCondition<JavaClass> {
        private PassOnAll() {
            super("pass on what has a default too, of what they implement and hold");
        }

        @Override
        public void check(JavaClass item, ConditionEvents events) {
            for (JavaClass type : item.getAllRawInterfaces()) {
                boolean isOfProduct = type.getPackageName().startsWith("io.chainkeeper")
                        && !type.getPackageName().startsWith("io.chainkeeper.simulation");
                if (isOfProduct && !item.isInterface() && holds(item, type)) {
                    checkAll(item, type, events);
                }
            }
        }

        private static boolean holds(JavaClass item, JavaClass type) {
            boolean holdsOne = item.getFields().stream()
                    .anyMatch(field -> !field.getModifiers().contains(JavaModifier.STATIC)
                            && field.getRawType().isAssignableTo(type.getName()));
            boolean isInner = item.isInnerClass() && !item.getModifiers().contains(JavaModifier.STATIC);
            return holdsOne || isInner && holds(item.getEnclosingClass().orElseThrow(), type);
        }

        private static void checkAll(JavaClass item, JavaClass type, ConditionEvents events) {
            for (JavaMethod method : type.getMethods()) {
                // Such a method is about the object itself.
                boolean isCopy = method.getRawReturnType().equals(type);
                boolean hasDefault = !isCopy
                        && !method.getModifiers().contains(JavaModifier.STATIC)
                        && !method.getModifiers().contains(JavaModifier.ABSTRACT)
                        && !method.getModifiers().contains(JavaModifier.PRIVATE)
                        && !method.getModifiers().contains(JavaModifier.SYNTHETIC);
                String[] parameters = method.getRawParameterTypes().stream()
                        .map(JavaClass::getName)
                        .toArray(String[]::new);
                boolean isPassedOn = item.tryGetMethod(method.getName(), parameters)
                        .filter(own -> own.getOwner().equals(item))
                        .isPresent();
                if (hasDefault && !isPassedOn) {
                    events.add(SimpleConditionEvent.violated(
                            item, item.getFullName() + " does not pass on " + method.getFullName()));
                }
            }
        }
    }
}
